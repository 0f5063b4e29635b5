"""
What the service promises of public and private videos holds at the edge, too.
"""

import pytest

from tests.delivery.test_app import (  # noqa: F401 - run with the fixtures here
    test_a_changed_token_is_refused,
    test_a_delete_is_obeyed_by_the_very_next_request,
    test_a_preflight_is_answered_as_documented,
    test_a_private_video_on_a_public_path_is_forbidden,
    test_a_public_video_is_played_without_a_token,
    test_a_thumbnail_token_plays_nothing,
    test_a_token_opens_its_own_video_alone,
    test_a_token_plays_a_private_video_from_the_first_address_on,
    test_a_token_with_domains_is_good_on_their_pages,
    test_a_token_with_the_public_id_of_another_video_is_refused,
    test_a_video_that_turns_private_leaves_its_public_path_at_once,
    test_an_environment_has_a_short_name_and_a_video_an_alias,
    test_every_published_file_has_its_address,
    test_files_are_only_read,
    test_low_latency_parameters_change_nothing,
    test_nobody_begins_a_video_whose_owner_may_deliver_no_more,
    test_only_a_ready_video_is_served,
    test_the_private_path_plays_public_videos_too,
    test_two_tokens_are_refused_even_if_one_is_good,
)

pytestmark = pytest.mark.services
