"""
Calls of the API: Analytics by organization.

Written by hvcore_client_generator; do not change it by hand.
"""

from collections.abc import Iterator
from typing import Literal, overload

from hvcore_client.caller import Caller
from hvcore_client.generated import choices, models, operations


class AnalyticsByOrganizationCalls(Caller):
    """Analytics by organization."""

    @overload
    def get_usage_in_organization(
        self, org_id: str, *, period_days: int | None = None, format: None = None
    ) -> models.UsageReport: ...

    @overload
    def get_usage_in_organization(
        self,
        org_id: str,
        *,
        period_days: int | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def get_usage_in_organization(
        self,
        org_id: str,
        *,
        period_days: int | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.UsageReport | str:
        """
        Report what each environment holds and what was served of it.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            period_days: By default ``30``.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_USAGE_IN_ORGANIZATION,
            {"org_id": org_id, "period_days": period_days, "format": format},
        )

    @overload
    def get_usage_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        period_days: int | None = None,
        format: None = None,
    ) -> models.UsageReport: ...

    @overload
    def get_usage_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        period_days: int | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def get_usage_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        period_days: int | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.UsageReport | str:
        """
        Report what each environment holds and what was served of it.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            period_days: By default ``30``.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_USAGE_IN_ENVIRONMENT,
            {
                "org_id": org_id,
                "env_id": env_id,
                "period_days": period_days,
                "format": format,
            },
        )

    @overload
    def get_daily_usage_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        fill: bool | None = None,
        format: None = None,
    ) -> models.DailyUsageReport: ...

    @overload
    def get_daily_usage_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        fill: bool | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def get_daily_usage_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        fill: bool | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.DailyUsageReport | str:
        """
        Report what was served on each day.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            fill: By default ``False``.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_DAILY_USAGE_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "start_date": start_date,
                "end_date": end_date,
                "fill": fill,
                "format": format,
            },
        )

    @overload
    def get_daily_usage_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        fill: bool | None = None,
        format: None = None,
    ) -> models.DailyUsageReport: ...

    @overload
    def get_daily_usage_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        fill: bool | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def get_daily_usage_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        fill: bool | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.DailyUsageReport | str:
        """
        Report what was served on each day.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            fill: By default ``False``.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_DAILY_USAGE_IN_ENVIRONMENT,
            {
                "org_id": org_id,
                "env_id": env_id,
                "start_date": start_date,
                "end_date": end_date,
                "fill": fill,
                "format": format,
            },
        )

    @overload
    def list_watched_videos_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        sort_by: choices.VideoSort | None = None,
        sort_dir: choices.SortDir | None = None,
        page: int | None = None,
        page_size: int | None = None,
        by: choices.RecordsBy | None = None,
        format: None = None,
    ) -> models.WatchedVideosReport: ...

    @overload
    def list_watched_videos_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        sort_by: choices.VideoSort | None = None,
        sort_dir: choices.SortDir | None = None,
        page: int | None = None,
        page_size: int | None = None,
        by: choices.RecordsBy | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def list_watched_videos_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        sort_by: choices.VideoSort | None = None,
        sort_dir: choices.SortDir | None = None,
        page: int | None = None,
        page_size: int | None = None,
        by: choices.RecordsBy | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.WatchedVideosReport | str:
        """
        Report the views and the watched time of each video.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            sort_by: What to sort by. By default ``views``.
            sort_dir: Rising or falling. By default ``desc``.
            page: Number of the page, from 1. Without it and `pageSize`, a file has all
                records.
            page_size: Records on a page; 20 if there is none.
            by: `day`: a record for each video and day, by day first.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.LIST_WATCHED_VIDEOS_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "start_date": start_date,
                "end_date": end_date,
                "sort_by": sort_by,
                "sort_dir": sort_dir,
                "page": page,
                "page_size": page_size,
                "by": by,
                "format": format,
            },
        )

    def iterate_watched_videos_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        sort_by: choices.VideoSort | None = None,
        sort_dir: choices.SortDir | None = None,
        page_size: int | None = None,
        by: choices.RecordsBy | None = None,
    ) -> Iterator[models.WatchedVideo]:
        """
        Go through all videos of list_watched_videos_in_organization, page by page.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            sort_by: What to sort by. By default ``views``.
            sort_dir: Rising or falling. By default ``desc``.
            page_size: Records on a page; 20 if there is none.
            by: `day`: a record for each video and day, by day first.
        """
        return self._iterate(
            operations.LIST_WATCHED_VIDEOS_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "start_date": start_date,
                "end_date": end_date,
                "sort_by": sort_by,
                "sort_dir": sort_dir,
                "page_size": page_size,
                "by": by,
            },
        )

    @overload
    def list_watched_videos_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        sort_by: choices.VideoSort | None = None,
        sort_dir: choices.SortDir | None = None,
        page: int | None = None,
        page_size: int | None = None,
        by: choices.RecordsBy | None = None,
        format: None = None,
    ) -> models.WatchedVideosReport: ...

    @overload
    def list_watched_videos_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        sort_by: choices.VideoSort | None = None,
        sort_dir: choices.SortDir | None = None,
        page: int | None = None,
        page_size: int | None = None,
        by: choices.RecordsBy | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def list_watched_videos_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        sort_by: choices.VideoSort | None = None,
        sort_dir: choices.SortDir | None = None,
        page: int | None = None,
        page_size: int | None = None,
        by: choices.RecordsBy | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.WatchedVideosReport | str:
        """
        Report the views and the watched time of each video.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            sort_by: What to sort by. By default ``views``.
            sort_dir: Rising or falling. By default ``desc``.
            page: Number of the page, from 1. Without it and `pageSize`, a file has all
                records.
            page_size: Records on a page; 20 if there is none.
            by: `day`: a record for each video and day, by day first.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.LIST_WATCHED_VIDEOS_IN_ENVIRONMENT,
            {
                "org_id": org_id,
                "env_id": env_id,
                "start_date": start_date,
                "end_date": end_date,
                "sort_by": sort_by,
                "sort_dir": sort_dir,
                "page": page,
                "page_size": page_size,
                "by": by,
                "format": format,
            },
        )

    def iterate_watched_videos_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        sort_by: choices.VideoSort | None = None,
        sort_dir: choices.SortDir | None = None,
        page_size: int | None = None,
        by: choices.RecordsBy | None = None,
    ) -> Iterator[models.WatchedVideo]:
        """
        Go through all videos of list_watched_videos_in_environment, page by page.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            sort_by: What to sort by. By default ``views``.
            sort_dir: Rising or falling. By default ``desc``.
            page_size: Records on a page; 20 if there is none.
            by: `day`: a record for each video and day, by day first.
        """
        return self._iterate(
            operations.LIST_WATCHED_VIDEOS_IN_ENVIRONMENT,
            {
                "org_id": org_id,
                "env_id": env_id,
                "start_date": start_date,
                "end_date": end_date,
                "sort_by": sort_by,
                "sort_dir": sort_dir,
                "page_size": page_size,
                "by": by,
            },
        )

    @overload
    def get_video_daily_usage_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        fill: bool | None = None,
        format: None = None,
    ) -> models.DailyUsageReport: ...

    @overload
    def get_video_daily_usage_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        fill: bool | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def get_video_daily_usage_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        fill: bool | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.DailyUsageReport | str:
        """
        Report what was watched of a video on each day.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            video_id: The video.
            fill: By default ``False``.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_VIDEO_DAILY_USAGE_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "start_date": start_date,
                "end_date": end_date,
                "fill": fill,
                "format": format,
            },
        )

    @overload
    def get_storage_usage_in_organization(
        self, org_id: str, *, format: None = None
    ) -> models.StorageReport: ...

    @overload
    def get_storage_usage_in_organization(
        self, org_id: str, *, format: Literal["csv", "ndjson"]
    ) -> str: ...

    def get_storage_usage_in_organization(
        self, org_id: str, *, format: Literal["csv", "ndjson"] | None = None
    ) -> models.StorageReport | str:
        """
        Report how much is stored.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_STORAGE_USAGE_IN_ORGANIZATION,
            {"org_id": org_id, "format": format},
        )

    @overload
    def get_storage_usage_in_environment(
        self, org_id: str, env_id: str, *, format: None = None
    ) -> models.StorageReport: ...

    @overload
    def get_storage_usage_in_environment(
        self, org_id: str, env_id: str, *, format: Literal["csv", "ndjson"]
    ) -> str: ...

    def get_storage_usage_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.StorageReport | str:
        """
        Report how much is stored.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_STORAGE_USAGE_IN_ENVIRONMENT,
            {"org_id": org_id, "env_id": env_id, "format": format},
        )

    @overload
    def get_resolution_distribution_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        format: None = None,
    ) -> models.ResolutionDistributionReport: ...

    @overload
    def get_resolution_distribution_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def get_resolution_distribution_in_organization(
        self,
        org_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.ResolutionDistributionReport | str:
        """
        Report what was served of each resolution.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_RESOLUTION_DISTRIBUTION_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "start_date": start_date,
                "end_date": end_date,
                "format": format,
            },
        )

    @overload
    def get_resolution_distribution_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        format: None = None,
    ) -> models.ResolutionDistributionReport: ...

    @overload
    def get_resolution_distribution_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def get_resolution_distribution_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.ResolutionDistributionReport | str:
        """
        Report what was served of each resolution.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_RESOLUTION_DISTRIBUTION_IN_ENVIRONMENT,
            {
                "org_id": org_id,
                "env_id": env_id,
                "start_date": start_date,
                "end_date": end_date,
                "format": format,
            },
        )

    @overload
    def get_video_resolutions_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        format: None = None,
        records: choices.VideoRecords | None = None,
    ) -> models.VideoResolutionReport: ...

    @overload
    def get_video_resolutions_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        format: Literal["csv", "ndjson"],
        records: choices.VideoRecords | None = None,
    ) -> str: ...

    def get_video_resolutions_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        format: Literal["csv", "ndjson"] | None = None,
        records: choices.VideoRecords | None = None,
    ) -> models.VideoResolutionReport | str:
        """
        Report what was served of a video, by resolution.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            video_id: The video.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
            records: Whether a file holds the record of each height or the summary. By
                default ``resolutions``.
        """
        return self._call(
            operations.GET_VIDEO_RESOLUTIONS_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "start_date": start_date,
                "end_date": end_date,
                "format": format,
                "records": records,
            },
        )

    @overload
    def explain_video_count_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        date: str | None = None,
        format: None = None,
    ) -> models.CountExplanationReport: ...

    @overload
    def explain_video_count_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        date: str | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def explain_video_count_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        date: str | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.CountExplanationReport | str:
        """
        Show how the count of a video's day came about.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            video_id: The video.
            date: A UTC day; today if there is none.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.EXPLAIN_VIDEO_COUNT_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id, "date": date, "format": format},
        )

    @overload
    def get_video_playback_quality_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        by: choices.SessionsBy | None = None,
        format: None = None,
        records: choices.QualityRecords | None = None,
    ) -> models.PlaybackQualityReport: ...

    @overload
    def get_video_playback_quality_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        by: choices.SessionsBy | None = None,
        format: Literal["csv", "ndjson"],
        records: choices.QualityRecords | None = None,
    ) -> str: ...

    def get_video_playback_quality_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        by: choices.SessionsBy | None = None,
        format: Literal["csv", "ndjson"] | None = None,
        records: choices.QualityRecords | None = None,
    ) -> models.PlaybackQualityReport | str:
        """
        Report how playback of a video went, as players measured it, by day.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            video_id: The video.
            by: Whether the sessions of a day are told apart by device or by country. By
                default ``day``.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
            records: Whether a file holds the reports with segments or the sessions. By
                default ``reports``.
        """
        return self._call(
            operations.GET_VIDEO_PLAYBACK_QUALITY_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "start_date": start_date,
                "end_date": end_date,
                "by": by,
                "format": format,
                "records": records,
            },
        )

    @overload
    def get_video_breakdown_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        by: choices.BreakdownBy | None = None,
        format: None = None,
    ) -> models.BreakdownReport: ...

    @overload
    def get_video_breakdown_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        by: choices.BreakdownBy | None = None,
        format: Literal["csv", "ndjson"],
    ) -> str: ...

    def get_video_breakdown_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        by: choices.BreakdownBy | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> models.BreakdownReport | str:
        """
        Report where a video's segments went: by country or by page.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            video_id: The video.
            by: By default ``country``.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
        """
        return self._call(
            operations.GET_VIDEO_BREAKDOWN_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "start_date": start_date,
                "end_date": end_date,
                "by": by,
                "format": format,
            },
        )

    @overload
    def get_viewers_in_organization(
        self,
        org_id: str,
        *,
        format: None = None,
        records: choices.LiveRecords | None = None,
    ) -> models.ViewersReport: ...

    @overload
    def get_viewers_in_organization(
        self,
        org_id: str,
        *,
        format: Literal["csv", "ndjson"],
        records: choices.LiveRecords | None = None,
    ) -> str: ...

    def get_viewers_in_organization(
        self,
        org_id: str,
        *,
        format: Literal["csv", "ndjson"] | None = None,
        records: choices.LiveRecords | None = None,
    ) -> models.ViewersReport | str:
        """
        Count the current viewers.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
            records: Whether a file holds the one record of now or those of minutes. By
                default ``viewers``.
        """
        return self._call(
            operations.GET_VIEWERS_IN_ORGANIZATION,
            {"org_id": org_id, "format": format, "records": records},
        )

    @overload
    def get_viewers_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        format: None = None,
        records: choices.LiveRecords | None = None,
    ) -> models.ViewersReport: ...

    @overload
    def get_viewers_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        format: Literal["csv", "ndjson"],
        records: choices.LiveRecords | None = None,
    ) -> str: ...

    def get_viewers_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        format: Literal["csv", "ndjson"] | None = None,
        records: choices.LiveRecords | None = None,
    ) -> models.ViewersReport | str:
        """
        Count the current viewers.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
            records: Whether a file holds the one record of now or those of minutes. By
                default ``viewers``.
        """
        return self._call(
            operations.GET_VIEWERS_IN_ENVIRONMENT,
            {"org_id": org_id, "env_id": env_id, "format": format, "records": records},
        )

    @overload
    def get_video_viewers_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        format: None = None,
        records: choices.LiveRecords | None = None,
    ) -> models.ViewersReport: ...

    @overload
    def get_video_viewers_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        format: Literal["csv", "ndjson"],
        records: choices.LiveRecords | None = None,
    ) -> str: ...

    def get_video_viewers_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        format: Literal["csv", "ndjson"] | None = None,
        records: choices.LiveRecords | None = None,
    ) -> models.ViewersReport | str:
        """
        Count the current viewers of a video.

        Needs the permission `analytics:read`. Counts under the limit `analytics`.

        Args:
            org_id: The organization.
            video_id: The video.
            format: The records alone, as a text: a table with a header row, or one JSON
                document a line.
            records: Whether a file holds the one record of now or those of minutes. By
                default ``viewers``.
        """
        return self._call(
            operations.GET_VIDEO_VIEWERS_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "format": format,
                "records": records,
            },
        )
