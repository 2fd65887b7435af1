//! The browser side, in a browser.
//!
//! A scenario is an async function of a script beside this file; it gets the exports of the package,
//! as a page would import them, and fails by throwing. What must hold by the Rust types (the event
//! laws, the parser of arguments) is checked here on what the page saw.
#![cfg(target_arch = "wasm32")]

mod exports;
mod mirror;
mod script;

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);

/// Declares the scenarios of a script as tests.
macro_rules! scenarios {
    ($group:ident: $($name:ident,)*) => {
        mod $group {
            use wasm_bindgen::JsValue;
            use wasm_bindgen_test::wasm_bindgen_test;

            use crate::script::{check_names, run};

            $(
                #[wasm_bindgen_test]
                async fn $name() -> Result<(), JsValue> {
                    run(stringify!($group), stringify!($name)).await
                }
            )*

            #[wasm_bindgen_test]
            async fn every_scenario_is_declared() -> Result<(), JsValue> {
                check_names(stringify!($group), &[$(stringify!($name)),*]).await
            }
        }
    };
}

scenarios! {
    events:
    two_turns_with_a_tool_have_one_order,
    the_wire_and_a_stream_fn_give_the_same_events,
    the_bare_loop_gives_the_same_events,
    one_model_call_obeys_the_laws,
    objects_of_the_run_keep_their_identity,
    an_old_event_still_shows_its_own_text,
    parallel_tools_end_as_they_finish_and_answer_in_order,
    the_stream_message_follows_the_updates,
    events_and_listeners_agree,
}

scenarios! {
    live:
    random_arguments_grow_as_the_native_parser_has_them,
    broken_arguments_grow_as_the_native_parser_has_them,
    a_wide_container_only_grows_and_ends_exact,
    up_to_the_limit_a_container_is_exact_at_every_delta,
    arguments_share_what_did_not_change,
    two_calls_may_grow_in_turns,
    text_is_cut_by_utf16_units,
}

scenarios! {
    reentry:
    every_method_works_inside_every_callback,
    every_method_works_inside_what_an_abort_calls,
    abort_works_inside_every_callback,
    reset_works_inside_every_callback,
    free_works_inside_every_callback,
    free_is_refused_only_while_abort_runs,
    a_run_can_be_used_from_outside_at_once,
    a_second_prompt_is_refused_and_the_first_unaffected,
    a_prompt_in_agent_end_is_refused,
    after_a_prompt_the_agent_is_idle,
    freeing_in_the_middle_lets_the_run_end,
    getters_of_the_page_may_throw_and_reenter,
}

scenarios! {
    listeners:
    a_listener_that_throws_touches_nobody,
    a_listener_that_rejects_is_reported_once,
    a_thenable_of_another_kind_is_awaited,
    whatever_a_listener_returns_is_survived,
    a_promise_is_awaited_before_anything_else,
    the_prompt_resolves_after_its_listeners,
    abort_lets_go_of_a_listener_that_never_settles,
    what_the_last_listeners_queue_is_delivered_now_or_next,
    unsubscribing_in_a_listener_spares_the_others,
    a_listener_that_left_while_another_was_waited_for_is_not_called,
    subscribing_in_a_listener_starts_with_the_next_event,
    one_function_may_listen_twice,
    a_listener_gets_the_signal_of_the_run,
    an_update_after_the_tool_settled_is_ignored,
    an_update_after_an_abort_is_ignored,
    an_update_after_free_is_ignored,
    updates_come_in_order_and_before_the_end,
    pending_tool_calls_follow_the_tools,
}

scenarios! {
    abort:
    before_the_headers,
    before_the_headers_of_a_fetch_that_obeys,
    in_the_page_s_own_fetch,
    while_the_body_is_silent,
    at_the_first_delta,
    in_the_middle_of_a_burst,
    in_the_middle_of_a_burst_with_a_call,
    while_a_call_streams,
    while_a_tool_ignores_its_signal,
    while_a_tool_rejects_on_its_signal,
    while_sequential_tools_wait,
    in_each_listener,
    while_a_stream_fn_hangs,
    with_nothing_to_abort,
    a_tool_that_aborts_sees_it_at_once,
    abort_and_prompt_again_at_once,
    what_is_queued_after_an_abort_is_kept,
    the_user_s_signal_ends_the_bare_loop,
    the_user_s_signal_ends_one_call,
    leaving_the_loop_aborts_the_run,
    leaving_a_stream_aborts_the_call,
    a_signal_that_fires_after_the_end_does_nothing,
    abort_ends_every_wait,
    abort_then_free_ends_every_wait,
    promises_that_nobody_keeps_are_quiet,
    what_settles_behind_an_abort_is_ignored,
    abort_then_free_lets_go_of_a_listener,
}

scenarios! {
    tools:
    whatever_a_tool_returns_becomes_a_result,
    whatever_a_tool_throws_becomes_a_result,
    an_error_result_is_marked,
    thenables_are_awaited,
    details_of_any_kind_keep_their_identity,
    what_a_tool_does_with_its_results_later_shows_nowhere,
    this_of_a_tool_is_the_tool,
    a_tool_gets_its_id_arguments_signal_and_progress,
    a_prototype_from_a_model_is_an_own_key,
    arguments_are_coerced_for_the_tool_and_kept_as_written_elsewhere,
    numbers_are_those_of_json_parse_wherever_they_go,
    arguments_that_do_not_fit_name_the_path,
    incomplete_arguments_do_not_run,
    a_tool_has_a_time_limit,
    a_tool_that_blocks_a_little_is_no_timeout,
    unknown_tools_are_answered,
    equal_and_empty_ids_run_each,
    sequential_tools_run_one_after_the_other,
    hooks_change_and_block_calls,
    a_tool_may_ask_that_the_run_ends,
    a_run_has_a_limit_of_turns,
    tools_of_the_state_may_change_during_a_run,
    a_tool_pushed_onto_the_array_is_seen,
    odd_members_of_a_result_do_not_spoil_the_next_request,
    a_decision_that_cannot_be_read_does_not_let_the_tool_run,
}

scenarios! {
    options:
    each_option_says_what_it_must_be,
    an_unknown_option_is_refused_by_name,
    an_option_that_is_undefined_is_absent,
    the_initial_state_is_checked,
    tools_are_checked,
    setters_are_checked_and_change_nothing_when_refused,
    prompts_are_checked,
    without_a_model_a_prompt_is_refused,
    an_unknown_api_fails_the_call_by_name,
    contexts_are_checked,
    continue_needs_something_to_continue_from,
    scripts_are_checked,
    request_options_reach_the_wire,
    a_header_that_cannot_be_sent_fails_the_call,
}

scenarios! {
    messages:
    custom_messages_keep_their_identity,
    convert_to_llm_decides_what_the_model_gets,
    transform_context_changes_the_call_and_not_the_transcript,
    hooks_that_fail_fail_the_call_by_name,
    odd_fields_of_messages_are_kept_and_not_sent,
    messages_that_cannot_be_sent_fail_by_their_index,
    a_message_without_content_is_refused_before_it_enters,
    half_an_emoji_never_reaches_the_wire,
    half_an_emoji_from_a_model_is_replaced,
    the_state_has_its_rules_of_identity,
    an_app_may_freeze_what_it_copies_of_the_state,
    an_app_may_freeze_the_state_itself,
    a_state_survives_json_and_goes_on,
    a_prompt_takes_texts_images_and_lists,
    a_failed_answer_can_be_retried,
    the_next_request_after_a_failure_is_valid,
}

scenarios! {
    fetch:
    a_fetch_that_fails_is_a_network_error,
    the_page_s_own_fetch_may_fail_in_any_way,
    an_abort_error_without_an_abort_is_a_network_error,
    what_is_no_response_is_refused,
    a_stub_of_a_response_is_enough,
    chunks_may_be_bytes_or_text,
    a_read_may_give_anything,
    a_body_that_is_locked_or_missing_fails,
    pages_and_documents_in_place_of_a_stream,
    statuses_are_classified,
    a_stream_that_is_cut_is_truncated,
    an_error_within_a_stream_cancels_the_download,
    after_the_end_of_the_answer_the_download_is_cancelled,
    a_body_that_ends_is_read_to_its_end_and_not_aborted,
    a_body_that_never_ends_is_not_read_for_ever,
    a_cancel_that_fails_is_quiet,
    a_body_may_take_its_time,
    silence_has_a_limit_and_any_byte_counts,
    no_limit_is_no_limit,
    an_abort_is_an_abort_whatever_the_body_does,
    the_body_of_a_large_request_is_the_page_s_own,
    the_prototype_iterator_of_streams_is_not_needed,
    frames_that_are_not_json_fail_with_the_rest_kept,
    a_fetch_that_fails_with_the_key_in_its_message_does_not_tell_it,
}

scenarios! {
    stream_fn:
    a_library_that_mutates_one_partial_is_shown_in_snapshots,
    blocks_may_come_at_their_end_only,
    calls_may_come_at_their_end_only,
    a_result_may_stand_for_done,
    failures_of_a_source_end_the_call,
    a_source_may_say_what_failed,
    nonsense_events_are_skipped_or_refused,
    a_source_gets_model_context_and_options,
    the_events_of_one_call_can_be_passed_on,
    what_only_whole_blocks_have_is_kept,
    the_final_message_has_what_was_not_streamed,
    a_source_names_the_model_that_answers_and_what_it_cost,
    a_source_is_closed_as_by_a_loop_that_ends,
    hooks_of_the_network_are_told_to_a_source,
    an_abort_stops_the_source,
    an_abort_inside_a_source_is_an_abort,
    a_source_that_aborts_by_itself_did_not_abort_the_run,
    a_script_plays_its_turns,
}

scenarios! {
    control:
    a_failed_call_is_made_again,
    an_agent_retries_unless_it_is_told_not_to,
    the_bare_loop_retries_where_it_is_told_how,
    the_bare_loop_asks_for_what_waits,
    the_bare_loop_survives_whatever_its_questions_come_to,
    tools_never_run_twice,
    an_abort_ends_the_wait_and_the_retried_request,
    a_wait_that_no_timer_holds_does_not_end_at_once,
    a_retry_waits_until_the_page_is_online,
    wrong_retry_options_are_refused,
    a_failure_behind_a_complete_answer_is_not_made_again,
    calls_wait_for_the_app,
    approval_may_depend_on_the_arguments,
    an_abort_ends_the_wait_for_approval,
    a_steering_message_in_place_of_a_decision_skips_the_call,
    calls_that_wait_survive_a_reload,
    a_prompt_in_place_of_a_decision_skips_what_waited,
    prepare_request_replaces_what_one_call_is_made_with,
    finish_turn_ends_and_continues,
    hooks_that_fail_or_never_settle_end_in_errors,
    before_tool_call_may_end_the_run,
    a_standard_schema_is_told_checked_and_asked,
    a_schema_that_cannot_say_what_it_is_is_refused,
    a_tool_may_have_the_last_word_on_its_arguments,
    hooks_may_do_with_their_arrays_what_they_like,
    what_would_be_ignored_is_refused,
}

scenarios! {
    random:
    whatever_happens_the_laws_hold_and_no_message_is_lost,
}
