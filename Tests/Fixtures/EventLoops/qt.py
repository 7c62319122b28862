"""qt.py [healthy]: a Qt program without windows, with a timer of 20 ms, whose loop another thread wakes every 50 ms. One
slot sleeps for 300 ms, unless the program is healthy."""
import sys
import threading
import time

try:
    from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal
except ImportError:
    from PyQt5.QtCore import QCoreApplication, QObject, Qt, QTimer
    from PyQt5.QtCore import pyqtSignal as Signal

TICKS, BLOCKED_TICK, SIGNALS = 150, 60, 50


class Receiver(QObject):
    woken = Signal()
    ticks = 0
    wake_ups = 0

    def take(self):
        self.wake_ups += 1

    def tick(self):
        self.ticks += 1
        if self.ticks == BLOCKED_TICK and "healthy" not in sys.argv:
            time.sleep(0.3)
        if self.ticks == TICKS:
            QCoreApplication.quit()

    def wake_repeatedly(self):
        for _ in range(SIGNALS):
            self.woken.emit()
            time.sleep(0.05)


application = QCoreApplication(sys.argv)
receiver = Receiver()
receiver.woken.connect(receiver.take, Qt.ConnectionType.QueuedConnection)
timer = QTimer()
timer.setTimerType(Qt.TimerType.PreciseTimer)
timer.timeout.connect(receiver.tick)
timer.start(20)
waker = threading.Thread(target=receiver.wake_repeatedly)
waker.start()
# Not all versions have both names.
(getattr(application, "exec", None) or application.exec_)()
waker.join()
