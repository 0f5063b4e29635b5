// Twenty calls by the client that openapi-generator makes for Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	hv "hv/client"
)

func check(is bool, what string, err error) {
	if err != nil || !is {
		fmt.Fprintln(os.Stderr, what, err)
		os.Exit(1)
	}
}

func problemOf(err error) hv.Problem {
	var refused *hv.GenericOpenAPIError
	if errors.As(err, &refused) {
		if problem, is := refused.Model().(hv.Problem); is {
			return problem
		}
	}
	check(false, "no problem", err)
	return hv.Problem{}
}

func main() {
	configuration := hv.NewConfiguration()
	configuration.Servers = hv.ServerConfigurations{{URL: os.Getenv("HV_URL")}}
	client := hv.NewAPIClient(configuration)
	keys := map[string]hv.APIKey{"ApiKey": {Key: os.Getenv("HV_KEY")}}
	ctx := context.WithValue(context.Background(), hv.ContextAPIKeys, keys)
	video := os.Getenv("HV_VIDEO")

	health, _, err := client.ServiceAPI.GetHealth(ctx).Execute()
	check(err == nil && health.Body.Status == hv.HEALTHSTATUS_OK, "getHealth", err)
	key, _, err := client.ServiceAPI.GetWhoAmI(ctx).Execute()
	check(err == nil && key.Body.GetOrgID() == "org_a", "getWhoAmI", err)
	wanted := hv.NewVideoUploadRequest("a.mp4")
	wanted.SetVideoQuality(hv.PRESET_STANDARD)
	create := client.UploadsAPI.CreateUploadUrl(ctx).VideoUploadRequest(*wanted).IdempotencyKey("go")
	granted, _, err := create.Execute()
	check(err == nil, "createUploadUrl", err)
	again, _, err := create.Execute()
	check(err == nil && again.Body.VideoID == granted.Body.VideoID, "createUploadUrl again", err)
	details, _, err := client.VideosAPI.GetVideo(ctx, video).Execute()
	check(err == nil && details.Body.Status.Ready, "getVideo", err)
	same, _, err := client.VideosAPI.GetVideoDetails(ctx, video).Execute()
	check(err == nil && same.Body.CreatedAt.Year() > 2000, "getVideoDetails", err)
	listed, _, err := client.VideosAPI.ListVideos(ctx).Page(1).PageSize(5).Execute()
	check(err == nil && listed.Body.Pagination.Total >= 1, "listVideos", err)
	change := hv.NewVideoChangeRequest()
	change.SetVideoName("Sea")
	changed, _, err := client.VideosAPI.UpdateVideo(ctx, video).VideoChangeRequest(*change).Execute()
	check(err == nil && changed.Body.Name == "Sea", "updateVideo", err)
	domains := hv.NewEdgeKeyRequest()
	domains.SetDomains([]string{"example.com"})
	edge, _, err := client.SharingAPI.CreateEdgeKey(ctx, video).EdgeKeyRequest(*domains).Execute()
	check(err == nil && !edge.Body.RevokedAt.IsSet() || edge.Body.RevokedAt.Get() == nil, "createEdgeKey", err)
	edges, _, err := client.SharingAPI.ListEdgeKeys(ctx, video).Execute()
	check(err == nil && edges.Body.EdgeKeys[0].EdgeKey == edge.Body.EdgeKey, "listEdgeKeys", err)
	revoked, _, err := client.SharingAPI.RevokeEdgeKey(ctx, edge.Body.EdgeKey).Execute()
	check(err == nil && revoked.Body.RevokedAt.Get() != nil, "revokeEdgeKey", err)
	few := hv.NewShareRequest()
	few.SetMaxViews(5)
	link, _, err := client.SharingAPI.CreateShareLink(ctx, video).ShareRequest(*few).Execute()
	check(err == nil && link.Body.GetMaxViews() == 5, "createShareLink", err)
	links, _, err := client.SharingAPI.ListShareLinks(ctx, video).Execute()
	check(err == nil && len(links.Body.Shares) >= 1, "listShareLinks", err)
	unshared, _, err := client.SharingAPI.RevokeShareLink(ctx, video, link.Body.ShareID).Execute()
	check(err == nil && unshared.Body.RevokedAt.Get() != nil, "revokeShareLink", err)
	signed, _, err := client.PlaybackAPI.GetSignedUrl(ctx, video).Execute()
	check(err == nil && signed.Body.ExpiresIn > 0, "getSignedUrl", err)
	usage, _, err := client.AnalyticsAPI.GetUsage(ctx).Execute()
	check(err == nil && usage.Body.Usage[0].TotalVideos >= 1, "getUsage", err)
	viewers, _, err := client.AnalyticsAPI.GetViewers(ctx).Execute()
	check(err == nil && viewers.Body.Viewers.CurrentViewers >= 0, "getViewers", err)
	events, _, err := client.EventsAPI.ListEvents(ctx).Limit(1).Execute()
	check(err == nil && events.Body.Events[0].Sequence == 1, "listEvents", err)
	gone, _, err := client.VideosAPI.DeleteVideo(ctx, granted.Body.VideoID).Execute()
	check(err == nil && gone.Body.DeletedAt.Year() > 2000, "deleteVideo", err)
	_, _, err = client.VideosAPI.GetVideo(ctx, "vid_0000000000000000000000").Execute()
	check(problemOf(err).Code == "video_not_found", "a missing video", nil)
	_, _, err = client.UploadsAPI.CreateUploadUrl(ctx).VideoUploadRequest(*hv.NewVideoUploadRequest("")).Execute()
	check(problemOf(err).Errors[0].Location == "body.fileName", "a refused upload", nil)
	fmt.Println("20 calls")
}
