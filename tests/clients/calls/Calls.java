// Twenty calls by the client that openapi-generator makes for Java.
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Calls {
  interface Call {
    void send() throws ApiException;
  }

  static void check(boolean is, String what) {
    if (!is) throw new AssertionError(what);
  }

  static Problem problemOf(Call call) throws Exception {
    try {
      call.send();
    } catch (ApiException error) {
      return ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), Problem.class);
    }
    throw new AssertionError("It was not refused.");
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("HV_URL"));
    client.setRequestInterceptor(request -> request.header("X-Api-Key", System.getenv("HV_KEY")));
    String video = System.getenv("HV_VIDEO");
    ServiceApi service = new ServiceApi(client);
    UploadsApi uploads = new UploadsApi(client);
    VideosApi videos = new VideosApi(client);
    SharingApi sharing = new SharingApi(client);
    AnalyticsApi analytics = new AnalyticsApi(client);

    check(service.getHealth().getBody().getStatus() == HealthStatus.OK, "getHealth");
    check(service.getWhoAmI().getBody().getOrgID().equals("org_a"), "getWhoAmI");
    VideoUploadRequest wanted = new VideoUploadRequest().fileName("a.mp4").videoQuality(Preset.STANDARD);
    String granted = uploads.createUploadUrl(wanted, "java").getBody().getVideoID();
    check(uploads.createUploadUrl(wanted, "java").getBody().getVideoID().equals(granted), "createUploadUrl");
    check(videos.getVideo(video).getBody().getStatus().getReady(), "getVideo");
    check(videos.getVideoDetails(video).getBody().getCreatedAt().getTime() > 0, "getVideoDetails");
    check(
        videos.listVideos(1L, 5L, null, null, null, null, null, null, null, null, null, null, null).getBody().getPagination().getTotal() >= 1,
        "listVideos");
    VideoChangeRequest change = new VideoChangeRequest().videoName("Sea");
    check(videos.updateVideo(video, change, null).getBody().getName().equals("Sea"), "updateVideo");
    EdgeKeyRequest domains = new EdgeKeyRequest().domains(List.of("example.com"));
    EdgeKey key = sharing.createEdgeKey(video, null, domains).getBody();
    check(key.getRevokedAt() == null, "createEdgeKey");
    String first = sharing.listEdgeKeys(video).getBody().getEdgeKeys().get(0).getEdgeKey();
    check(first.equals(key.getEdgeKey()), "listEdgeKeys");
    check(sharing.revokeEdgeKey(key.getEdgeKey()).getBody().getRevokedAt() != null, "revokeEdgeKey");
    ShareLink link = sharing.createShareLink(video, null, new ShareRequest().maxViews(5L)).getBody();
    check(link.getMaxViews() == 5, "createShareLink");
    check(sharing.listShareLinks(video).getBody().getShares().size() >= 1, "listShareLinks");
    check(
        sharing.revokeShareLink(video, link.getShareID()).getBody().getRevokedAt() != null,
        "revokeShareLink");
    check(
        new PlaybackApi(client).getSignedUrl(video, null, null).getBody().getExpiresIn() > 0,
        "getSignedUrl");
    check(analytics.getUsage(null, null).getBody().getUsage().get(0).getTotalVideos() >= 1, "getUsage");
    check(
        analytics.getViewers(null, null).getBody().getViewers().getCurrentViewers() >= 0, "getViewers");
    check(
        new EventsApi(client).listEvents(null, 1L, null).getBody().getEvents().get(0).getSequence() == 1,
        "listEvents");
    check(videos.deleteVideo(granted, null, null).getBody().getDeletedAt() != null, "deleteVideo");
    Problem missing = problemOf(() -> videos.getVideo("vid_0000000000000000000000"));
    check(missing.getCode().equals("video_not_found"), "a missing video");
    Problem refused =
        problemOf(() -> uploads.createUploadUrl(new VideoUploadRequest().fileName(""), null));
    check(refused.getErrors().get(0).getLocation().equals("body.fileName"), "a refused upload");
    System.out.println("20 calls");
  }
}
