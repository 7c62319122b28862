// The files that are embedded in rltrace. The compiler reads them with #embed, which costs nothing, while a Swift array
// of their bytes takes seconds to compile.
#include "rltrace_files.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// The folders of these files, from this one. A macro makes each path, because #embed does not join strings.
#define TEXT(path) #path
#define PATH(path) TEXT(path)
#define WRITING(name) PATH(../../Output/ReportWriting/Resources/name)
#define REPORT(name) PATH(../../Output/PageReport/Resources/name)
#define JUDGEMENT(name) PATH(../../Output/JudgementReport/Resources/name)
#define SCENARIO(name) PATH(../../Scenarios/Scenario/Library/name)
#define RULES(name) PATH(../../Stacks/CallStacks/Library/name)
#define PAGE(name) PATH(../../../docs/reference/name)

static const uint8_t comparison_table_mustache[] = {
#embed JUDGEMENT(comparison-table.mustache)
};
static const uint8_t comparison_css[] = {
#embed WRITING(comparison.css)
};
static const uint8_t comparison_mustache[] = {
#embed JUDGEMENT(comparison.mustache)
};
static const uint8_t files_mustache[] = {
#embed REPORT(files.mustache)
};
static const uint8_t fleet_css[] = {
#embed JUDGEMENT(fleet.css)
};
static const uint8_t fleet_mustache[] = {
#embed JUDGEMENT(fleet.mustache)
};
static const uint8_t glance_axis_mustache[] = {
#embed WRITING(glance-axis.mustache)
};
static const uint8_t glance_mustache[] = {
#embed WRITING(glance.mustache)
};
static const uint8_t junit_mustache[] = {
#embed JUDGEMENT(junit.mustache)
};
static const uint8_t report_charts_js[] = {
#embed REPORT(report-charts.js)
};
static const uint8_t report_columns_js[] = {
#embed REPORT(report-columns.js)
};
static const uint8_t report_controls_js[] = {
#embed REPORT(report-controls.js)
};
static const uint8_t report_data_js[] = {
#embed REPORT(report-data.js)
};
static const uint8_t report_details_js[] = {
#embed REPORT(report-details.js)
};
static const uint8_t report_finding_mustache[] = {
#embed REPORT(report-finding.mustache)
};
static const uint8_t report_flame_js[] = {
#embed REPORT(report-flame.js)
};
static const uint8_t report_format_js[] = {
#embed REPORT(report-format.js)
};
static const uint8_t report_frames_js[] = {
#embed REPORT(report-frames.js)
};
static const uint8_t report_lanes_js[] = {
#embed REPORT(report-lanes.js)
};
static const uint8_t report_marks_js[] = {
#embed REPORT(report-marks.js)
};
static const uint8_t report_number_mustache[] = {
#embed REPORT(report-number.mustache)
};
static const uint8_t report_page_js[] = {
#embed REPORT(report-page.js)
};
static const uint8_t report_pen_js[] = {
#embed REPORT(report-pen.js)
};
static const uint8_t report_spans_js[] = {
#embed REPORT(report-spans.js)
};
static const uint8_t report_stacks_js[] = {
#embed REPORT(report-stacks.js)
};
static const uint8_t report_stall_js[] = {
#embed REPORT(report-stall.js)
};
static const uint8_t report_strip_js[] = {
#embed REPORT(report-strip.js)
};
static const uint8_t report_table_mustache[] = {
#embed REPORT(report-table.mustache)
};
static const uint8_t report_tables_js[] = {
#embed REPORT(report-tables.js)
};
static const uint8_t report_timeline_js[] = {
#embed REPORT(report-timeline.js)
};
static const uint8_t report_timers_js[] = {
#embed REPORT(report-timers.js)
};
static const uint8_t report_vocabulary_js[] = {
#embed REPORT(report-vocabulary.js)
};
static const uint8_t report_css[] = {
#embed WRITING(report.css)
};
static const uint8_t report_mustache[] = {
#embed REPORT(report.mustache)
};
static const uint8_t added_timer_yaml[] = {
#embed SCENARIO(added-timer.yaml)
};
static const uint8_t background_task_cycle_yaml[] = {
#embed SCENARIO(background-task-cycle.yaml)
};
static const uint8_t clock_change_yaml[] = {
#embed SCENARIO(clock-change.yaml)
};
static const uint8_t delegate_without_loop_yaml[] = {
#embed SCENARIO(delegate-without-loop.yaml)
};
static const uint8_t detect_chain_yaml[] = {
#embed SCENARIO(detect-chain.yaml)
};
static const uint8_t detect_fluent_yaml[] = {
#embed SCENARIO(detect-fluent.yaml)
};
static const uint8_t detect_idle_yaml[] = {
#embed SCENARIO(detect-idle.yaml)
};
static const uint8_t detect_layout_yaml[] = {
#embed SCENARIO(detect-layout.yaml)
};
static const uint8_t detect_nested_yaml[] = {
#embed SCENARIO(detect-nested.yaml)
};
static const uint8_t detect_poll_loop_yaml[] = {
#embed SCENARIO(detect-poll-loop.yaml)
};
static const uint8_t detect_stutter_yaml[] = {
#embed SCENARIO(detect-stutter.yaml)
};
static const uint8_t detect_suspended_yaml[] = {
#embed SCENARIO(detect-suspended.yaml)
};
static const uint8_t five_causes_yaml[] = {
#embed SCENARIO(five-causes.yaml)
};
static const uint8_t idle_work_common_yaml[] = {
#embed SCENARIO(idle-work-common.yaml)
};
static const uint8_t idle_work_default_yaml[] = {
#embed SCENARIO(idle-work-default.yaml)
};
static const uint8_t leave_and_return_yaml[] = {
#embed SCENARIO(leave-and-return.yaml)
};
static const uint8_t location_cached_yaml[] = {
#embed SCENARIO(location-cached.yaml)
};
static const uint8_t location_continuous_yaml[] = {
#embed SCENARIO(location-continuous.yaml)
};
static const uint8_t location_cycled_yaml[] = {
#embed SCENARIO(location-cycled.yaml)
};
static const uint8_t location_locked_yaml[] = {
#embed SCENARIO(location-locked.yaml)
};
static const uint8_t location_uncached_yaml[] = {
#embed SCENARIO(location-uncached.yaml)
};
static const uint8_t modes_yaml[] = {
#embed SCENARIO(modes.yaml)
};
static const uint8_t pass_anatomy_yaml[] = {
#embed SCENARIO(pass-anatomy.yaml)
};
static const uint8_t stall_in_source_yaml[] = {
#embed SCENARIO(stall-in-source.yaml)
};
static const uint8_t stall_in_timer_yaml[] = {
#embed SCENARIO(stall-in-timer.yaml)
};
static const uint8_t stalled_callout_yaml[] = {
#embed SCENARIO(stalled-callout.yaml)
};
static const uint8_t starvation_common_yaml[] = {
#embed SCENARIO(starvation-common.yaml)
};
static const uint8_t starvation_default_only_yaml[] = {
#embed SCENARIO(starvation-default-only.yaml)
};
static const uint8_t starvation_tracking_yaml[] = {
#embed SCENARIO(starvation-tracking.yaml)
};
static const uint8_t stuttering_app_yaml[] = {
#embed SCENARIO(stuttering-app.yaml)
};
static const uint8_t timer_starvation_yaml[] = {
#embed SCENARIO(timer-starvation.yaml)
};
static const uint8_t watchdog_phases_yaml[] = {
#embed SCENARIO(watchdog-phases.yaml)
};
static const uint8_t findings_md[] = {
#embed PAGE(findings.md)
};
static const uint8_t glossary_md[] = {
#embed PAGE(glossary.md)
};
static const uint8_t causes_yaml[] = {
#embed RULES(causes.yaml)
};

#define FILE(bytes, name) {name, bytes, sizeof bytes}

static const rlt_file files[] = {
  FILE(comparison_table_mustache, "comparison-table.mustache"),
  FILE(comparison_css, "comparison.css"),
  FILE(comparison_mustache, "comparison.mustache"),
  FILE(files_mustache, "files.mustache"),
  FILE(fleet_css, "fleet.css"),
  FILE(fleet_mustache, "fleet.mustache"),
  FILE(glance_axis_mustache, "glance-axis.mustache"),
  FILE(glance_mustache, "glance.mustache"),
  FILE(junit_mustache, "junit.mustache"),
  FILE(report_charts_js, "report-charts.js"),
  FILE(report_columns_js, "report-columns.js"),
  FILE(report_controls_js, "report-controls.js"),
  FILE(report_data_js, "report-data.js"),
  FILE(report_details_js, "report-details.js"),
  FILE(report_finding_mustache, "report-finding.mustache"),
  FILE(report_flame_js, "report-flame.js"),
  FILE(report_format_js, "report-format.js"),
  FILE(report_frames_js, "report-frames.js"),
  FILE(report_lanes_js, "report-lanes.js"),
  FILE(report_marks_js, "report-marks.js"),
  FILE(report_number_mustache, "report-number.mustache"),
  FILE(report_page_js, "report-page.js"),
  FILE(report_pen_js, "report-pen.js"),
  FILE(report_spans_js, "report-spans.js"),
  FILE(report_stacks_js, "report-stacks.js"),
  FILE(report_stall_js, "report-stall.js"),
  FILE(report_strip_js, "report-strip.js"),
  FILE(report_table_mustache, "report-table.mustache"),
  FILE(report_tables_js, "report-tables.js"),
  FILE(report_timeline_js, "report-timeline.js"),
  FILE(report_timers_js, "report-timers.js"),
  FILE(report_vocabulary_js, "report-vocabulary.js"),
  FILE(report_css, "report.css"),
  FILE(report_mustache, "report.mustache"),
  FILE(added_timer_yaml, "added-timer.yaml"),
  FILE(background_task_cycle_yaml, "background-task-cycle.yaml"),
  FILE(clock_change_yaml, "clock-change.yaml"),
  FILE(delegate_without_loop_yaml, "delegate-without-loop.yaml"),
  FILE(detect_chain_yaml, "detect-chain.yaml"),
  FILE(detect_fluent_yaml, "detect-fluent.yaml"),
  FILE(detect_idle_yaml, "detect-idle.yaml"),
  FILE(detect_layout_yaml, "detect-layout.yaml"),
  FILE(detect_nested_yaml, "detect-nested.yaml"),
  FILE(detect_poll_loop_yaml, "detect-poll-loop.yaml"),
  FILE(detect_stutter_yaml, "detect-stutter.yaml"),
  FILE(detect_suspended_yaml, "detect-suspended.yaml"),
  FILE(five_causes_yaml, "five-causes.yaml"),
  FILE(idle_work_common_yaml, "idle-work-common.yaml"),
  FILE(idle_work_default_yaml, "idle-work-default.yaml"),
  FILE(leave_and_return_yaml, "leave-and-return.yaml"),
  FILE(location_cached_yaml, "location-cached.yaml"),
  FILE(location_continuous_yaml, "location-continuous.yaml"),
  FILE(location_cycled_yaml, "location-cycled.yaml"),
  FILE(location_locked_yaml, "location-locked.yaml"),
  FILE(location_uncached_yaml, "location-uncached.yaml"),
  FILE(modes_yaml, "modes.yaml"),
  FILE(pass_anatomy_yaml, "pass-anatomy.yaml"),
  FILE(stall_in_source_yaml, "stall-in-source.yaml"),
  FILE(stall_in_timer_yaml, "stall-in-timer.yaml"),
  FILE(stalled_callout_yaml, "stalled-callout.yaml"),
  FILE(starvation_common_yaml, "starvation-common.yaml"),
  FILE(starvation_default_only_yaml, "starvation-default-only.yaml"),
  FILE(starvation_tracking_yaml, "starvation-tracking.yaml"),
  FILE(stuttering_app_yaml, "stuttering-app.yaml"),
  FILE(timer_starvation_yaml, "timer-starvation.yaml"),
  FILE(watchdog_phases_yaml, "watchdog-phases.yaml"),
  FILE(findings_md, "findings.md"),
  FILE(glossary_md, "glossary.md"),
  FILE(causes_yaml, "causes.yaml"),
};

const rlt_file *rlt_file_named(const char *name) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (strcmp(files[i].name, name) == 0) return &files[i];
  return NULL;
}
