// The files that are embedded in rltrace. The compiler reads them with #embed, which costs nothing, while a Swift array
// of their bytes takes seconds to compile.
#include "rltrace_files.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t comparison_table_mustache[] = {
#embed "../../Output/TraceReport/Resources/comparison-table.mustache"
};
static const uint8_t comparison_css[] = {
#embed "../../Output/TraceReport/Resources/comparison.css"
};
static const uint8_t comparison_mustache[] = {
#embed "../../Output/TraceReport/Resources/comparison.mustache"
};
static const uint8_t files_mustache[] = {
#embed "../../Output/TraceReport/Resources/files.mustache"
};
static const uint8_t fleet_css[] = {
#embed "../../Output/TraceReport/Resources/fleet.css"
};
static const uint8_t fleet_mustache[] = {
#embed "../../Output/TraceReport/Resources/fleet.mustache"
};
static const uint8_t glance_axis_mustache[] = {
#embed "../../Output/TraceReport/Resources/glance-axis.mustache"
};
static const uint8_t glance_mustache[] = {
#embed "../../Output/TraceReport/Resources/glance.mustache"
};
static const uint8_t junit_mustache[] = {
#embed "../../Output/TraceReport/Resources/junit.mustache"
};
static const uint8_t report_charts_js[] = {
#embed "../../Output/TraceReport/Resources/report-charts.js"
};
static const uint8_t report_columns_js[] = {
#embed "../../Output/TraceReport/Resources/report-columns.js"
};
static const uint8_t report_controls_js[] = {
#embed "../../Output/TraceReport/Resources/report-controls.js"
};
static const uint8_t report_data_js[] = {
#embed "../../Output/TraceReport/Resources/report-data.js"
};
static const uint8_t report_details_js[] = {
#embed "../../Output/TraceReport/Resources/report-details.js"
};
static const uint8_t report_finding_mustache[] = {
#embed "../../Output/TraceReport/Resources/report-finding.mustache"
};
static const uint8_t report_flame_js[] = {
#embed "../../Output/TraceReport/Resources/report-flame.js"
};
static const uint8_t report_format_js[] = {
#embed "../../Output/TraceReport/Resources/report-format.js"
};
static const uint8_t report_lanes_js[] = {
#embed "../../Output/TraceReport/Resources/report-lanes.js"
};
static const uint8_t report_marks_js[] = {
#embed "../../Output/TraceReport/Resources/report-marks.js"
};
static const uint8_t report_number_mustache[] = {
#embed "../../Output/TraceReport/Resources/report-number.mustache"
};
static const uint8_t report_page_js[] = {
#embed "../../Output/TraceReport/Resources/report-page.js"
};
static const uint8_t report_pen_js[] = {
#embed "../../Output/TraceReport/Resources/report-pen.js"
};
static const uint8_t report_spans_js[] = {
#embed "../../Output/TraceReport/Resources/report-spans.js"
};
static const uint8_t report_stacks_js[] = {
#embed "../../Output/TraceReport/Resources/report-stacks.js"
};
static const uint8_t report_stall_js[] = {
#embed "../../Output/TraceReport/Resources/report-stall.js"
};
static const uint8_t report_strip_js[] = {
#embed "../../Output/TraceReport/Resources/report-strip.js"
};
static const uint8_t report_table_mustache[] = {
#embed "../../Output/TraceReport/Resources/report-table.mustache"
};
static const uint8_t report_tables_js[] = {
#embed "../../Output/TraceReport/Resources/report-tables.js"
};
static const uint8_t report_timeline_js[] = {
#embed "../../Output/TraceReport/Resources/report-timeline.js"
};
static const uint8_t report_timers_js[] = {
#embed "../../Output/TraceReport/Resources/report-timers.js"
};
static const uint8_t report_vocabulary_js[] = {
#embed "../../Output/TraceReport/Resources/report-vocabulary.js"
};
static const uint8_t report_css[] = {
#embed "../../Output/TraceReport/Resources/report.css"
};
static const uint8_t report_mustache[] = {
#embed "../../Output/TraceReport/Resources/report.mustache"
};
static const uint8_t added_timer_yaml[] = {
#embed "../../Scenarios/Scenario/Library/added-timer.yaml"
};
static const uint8_t background_task_cycle_yaml[] = {
#embed "../../Scenarios/Scenario/Library/background-task-cycle.yaml"
};
static const uint8_t detect_chain_yaml[] = {
#embed "../../Scenarios/Scenario/Library/detect-chain.yaml"
};
static const uint8_t detect_idle_yaml[] = {
#embed "../../Scenarios/Scenario/Library/detect-idle.yaml"
};
static const uint8_t detect_layout_yaml[] = {
#embed "../../Scenarios/Scenario/Library/detect-layout.yaml"
};
static const uint8_t detect_nested_yaml[] = {
#embed "../../Scenarios/Scenario/Library/detect-nested.yaml"
};
static const uint8_t detect_poll_loop_yaml[] = {
#embed "../../Scenarios/Scenario/Library/detect-poll-loop.yaml"
};
static const uint8_t detect_suspended_yaml[] = {
#embed "../../Scenarios/Scenario/Library/detect-suspended.yaml"
};
static const uint8_t five_causes_yaml[] = {
#embed "../../Scenarios/Scenario/Library/five-causes.yaml"
};
static const uint8_t leave_and_return_yaml[] = {
#embed "../../Scenarios/Scenario/Library/leave-and-return.yaml"
};
static const uint8_t location_cached_yaml[] = {
#embed "../../Scenarios/Scenario/Library/location-cached.yaml"
};
static const uint8_t location_locked_yaml[] = {
#embed "../../Scenarios/Scenario/Library/location-locked.yaml"
};
static const uint8_t location_uncached_yaml[] = {
#embed "../../Scenarios/Scenario/Library/location-uncached.yaml"
};
static const uint8_t modes_yaml[] = {
#embed "../../Scenarios/Scenario/Library/modes.yaml"
};
static const uint8_t pass_anatomy_yaml[] = {
#embed "../../Scenarios/Scenario/Library/pass-anatomy.yaml"
};
static const uint8_t stall_in_source_yaml[] = {
#embed "../../Scenarios/Scenario/Library/stall-in-source.yaml"
};
static const uint8_t stall_in_timer_yaml[] = {
#embed "../../Scenarios/Scenario/Library/stall-in-timer.yaml"
};
static const uint8_t stalled_callout_yaml[] = {
#embed "../../Scenarios/Scenario/Library/stalled-callout.yaml"
};
static const uint8_t starvation_common_yaml[] = {
#embed "../../Scenarios/Scenario/Library/starvation-common.yaml"
};
static const uint8_t starvation_default_only_yaml[] = {
#embed "../../Scenarios/Scenario/Library/starvation-default-only.yaml"
};
static const uint8_t starvation_tracking_yaml[] = {
#embed "../../Scenarios/Scenario/Library/starvation-tracking.yaml"
};
static const uint8_t stuttering_app_yaml[] = {
#embed "../../Scenarios/Scenario/Library/stuttering-app.yaml"
};
static const uint8_t timer_starvation_yaml[] = {
#embed "../../Scenarios/Scenario/Library/timer-starvation.yaml"
};
static const uint8_t watchdog_phases_yaml[] = {
#embed "../../Scenarios/Scenario/Library/watchdog-phases.yaml"
};
static const uint8_t findings_md[] = {
#embed "../../../docs/reference/findings.md"
};
static const uint8_t glossary_md[] = {
#embed "../../../docs/reference/glossary.md"
};
static const uint8_t causes_yaml[] = {
#embed "../../Stacks/CallStacks/Library/causes.yaml"
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
  FILE(detect_chain_yaml, "detect-chain.yaml"),
  FILE(detect_idle_yaml, "detect-idle.yaml"),
  FILE(detect_layout_yaml, "detect-layout.yaml"),
  FILE(detect_nested_yaml, "detect-nested.yaml"),
  FILE(detect_poll_loop_yaml, "detect-poll-loop.yaml"),
  FILE(detect_suspended_yaml, "detect-suspended.yaml"),
  FILE(five_causes_yaml, "five-causes.yaml"),
  FILE(leave_and_return_yaml, "leave-and-return.yaml"),
  FILE(location_cached_yaml, "location-cached.yaml"),
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
