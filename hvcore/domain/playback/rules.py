"""
Playback rules: the rules that can refuse a request; a rule's name never changes.

Names and sentences are for operators: they are in the log and in ``hv explain``, but in
no answer, because some of them reveal whether a video exists.

Source: the interface document, "Authentication", 7 and 8, and "Delivery".
"""

from enum import Enum
from typing import Self


class PlaybackRule(Enum):
    """
    Name a rule that a request for a video, a picture or a page must keep.

    Attributes:
        asks: The sentence that must be true of a request.
        refusal: What was wrong with a request that broke the rule.
        fix: What to do so that the request is answered.
    """

    NO_SUCH_ADDRESS = (
        "The address is one of playback.",
        "There is nothing at this address.",
        (
            "Compare the path with the list in docs/reference/http/playback.md; a "
            "trailing slash is another address."
        ),
    )
    METHOD_NOT_ALLOWED = (
        "The address takes the request's method.",
        "The address does not take the request's method.",
        "Use GET or HEAD; only the page of a share link takes POST.",
    )
    REQUEST_INVALID = (
        "The request can be read.",
        "The request could not be read.",
        "The answer's detail says what is wrong with it; fix the program that sent it.",
    )
    RANGE_OUTSIDE = (
        "The range is within the file.",
        "The range begins after the end of the file.",
        "Ask for the file's length with HEAD, and for a range below it.",
    )
    VIDEO_UNKNOWN = (
        "The address leads to a video of this installation.",
        "No video has this id.",
        "Compare the id with hv videos list; upper and lower case matter.",
    )
    WRONG_ENVIRONMENT = (
        "The video is in the organization and environment that the address names.",
        "The video is in another organization or environment than the address names.",
        (
            "Make the address with the organization and environment that the video was "
            "uploaded to."
        ),
    )
    VIDEO_DELETED = (
        "The video is not deleted.",
        "The video was deleted.",
        "It cannot be restored: upload it again, and publish the new address.",
    )
    VIDEO_FAILED = (
        "The video's processing has not failed.",
        "The video's processing has failed.",
        "hv videos show VIDEO says why; hv videos retry VIDEO processes it again.",
    )
    VIDEO_NOT_READY = (
        "The video is ready.",
        "The video is still being uploaded or processed.",
        "Wait until its status is ready; hv tasks --video VIDEO shows what it waits for.",
    )
    PRIVATE_ON_PUBLIC_PATH = (
        "A public path leads to a public video.",
        "The video is private, and the path is that of public videos.",
        "Request a signed URL for it, or set allowPublicAccess.",
    )
    TOKEN_MISSING = (
        "The request for a private video has a token.",
        "The address carries no token.",
        "Request a signed URL, and pass it on completely: the token follows ?token=.",
    )
    TOKEN_SEVERAL = (
        "There is one token.",
        "The address carries several tokens.",
        "Remove all but one of the token parameters; a player may have added its own.",
    )
    TOKEN_UNKNOWN_KEY = (
        "The token was signed with a key of this installation.",
        "The token names a signing key that this installation does not have.",
        (
            "Request a new signed URL from this installation. After a change of keys, list "
            "the old one in HV_PLAYBACK__RETIRED_KEYS until its tokens have expired."
        ),
    )
    TOKEN_BROKEN = (
        "The token is whole, and its signature fits.",
        "The token was changed or cut off, or is no playback token.",
        (
            "Request a new signed URL, and look for what shortens or rewrites addresses on "
            "the way, such as a mail program or a database column."
        ),
    )
    TOKEN_WRONG_ISSUER = (
        "The token was issued under this installation's name.",
        "The token was issued under another name than HV_PLAYBACK__ISSUER.",
        (
            "Give all processes and installations that share a signing key one issuer, and "
            "request a new signed URL."
        ),
    )
    TOKEN_FROM_FUTURE = (
        "The token was not issued in the future, and may be used by now.",
        (
            "The token was issued at a moment that has not come yet on this machine, or "
            "may not be used before one (nbf)."
        ),
        (
            "Wait for the moment of nbf; without one, the clocks of two machines differ: "
            "synchronise them (NTP)."
        ),
    )
    TOKEN_EXPIRED = (
        "The token has not expired.",
        "The token has expired.",
        (
            "Request a new signed URL; ask for a longer expiration, at most 7d, if films "
            "outlast it."
        ),
    )
    TOKEN_DOMAINS_MISSING = (
        "The list of domains that the token names is there.",
        "The list of domains that the token names is not in the database.",
        (
            "Request a new signed URL. If this was refused to many, see whether the database "
            "was brought back from an older backup, or a signing key is used by two "
            "installations."
        ),
    )
    TOKEN_OTHER_VIDEO = (
        "The token was made for this video.",
        "The token was made for another video.",
        "Request a signed URL for this video; a token opens no other.",
    )
    TOKEN_OTHER_ORGANIZATION = (
        "The organization whose key signed the token has this video.",
        "The organization whose key signed the token has no such video.",
        (
            "Sign with a key of the video's own organization, and put the video's id into "
            "sub: hv signing-keys list shows the keys."
        ),
    )
    TOKEN_OTHER_USE = (
        "The token was made for this use.",
        "The token was made for something else, such as thumbnails.",
        "Take the token of signed-url for playlists and segments.",
    )
    TOKEN_OTHER_SHARE = (
        "The token is one of a session of this share link.",
        "The token was not made by this share link.",
        "Begin with the share link's own master playlist, without a token.",
    )
    PAGE_NOT_LISTED = (
        "The requesting page is listed in domains, if there are any.",
        "The request comes from a page that domains do not list, or names none.",
        (
            "List the page's host in domains, and let the page send its origin: no "
            "Referrer-Policy: no-referrer. Programs other than browsers must send Origin."
        ),
    )
    EDGE_KEY_UNKNOWN = (
        "The address holds an edge key of this installation.",
        "There is no such edge key.",
        "Compare it with the video's list of edge keys; upper and lower case matter.",
    )
    EDGE_KEY_REVOKED = (
        "The edge key is not revoked.",
        "The edge key was revoked.",
        "Make another edge key, and put it into the page.",
    )
    EDGE_KEY_EXPIRED = (
        "The edge key has not expired.",
        "The edge key has expired.",
        "Make another edge key with a later expiresAt, or without one.",
    )
    SHARE_UNKNOWN = (
        "The address holds a share link of this installation.",
        "There is no such share link.",
        "Compare it with the video's list of shares; upper and lower case matter.",
    )
    SHARE_REVOKED = (
        "The share link is not revoked.",
        "The share link was revoked.",
        "Share the video again.",
    )
    SHARE_EXPIRED = (
        "The share link has not expired.",
        "The share link has expired.",
        "Share the video again, with more expirationHours.",
    )
    SHARE_USED_UP = (
        "The share link has a view left.",
        "All views of the share link are used.",
        "Share the video again, with more maxViews; running sessions go on.",
    )
    SHARE_SESSION_MISSING = (
        "The request for a file of a share link belongs to a session.",
        "The address of a file below a share link carries no session's token.",
        "Begin with the share link's master.m3u8, and follow the addresses in it.",
    )
    SHARE_VIEWER_UNKNOWN = (
        "The viewer of the share link has confirmed the e-mail address.",
        "The share link is for one viewer, who has not confirmed the e-mail address.",
        "Open the link's page, shareURL, and enter the code that is sent to the address.",
    )
    SHARE_GUESSED_AT = (
        "Not too many addresses or codes were tried on the page of the share link.",
        "Too many addresses were entered, or codes requested, within an hour.",
        "Wait for an hour, or share the video again.",
    )
    NO_SUCH_FILE = (
        "The video has such a file.",
        "The video has no file of this name.",
        (
            "Take names from the master playlist; a rung that the video does not have, or "
            "captions that were removed, have no file."
        ),
    )
    DELIVERY_QUOTA = (
        "The video's organization has bytes left to deliver in this month.",
        "The video's organization has delivered as much as it may in this month.",
        (
            "Raise its limit with hv orgs set ORG --delivered-bytes-per-month N, or wait "
            "for the next month; viewers who are already watching are not stopped."
        ),
    )
    FILES_MISSING = (
        "The file is where it was published.",
        "The video is published, but the file is not in the storage.",
        (
            "If the video was not deleted at that moment, run hv doctor, and bring the "
            "storage back from its backup."
        ),
    )
    PICTURE_SIZE = (
        "Each side of the picture has from 16 to 3840 pixels.",
        "A side of the picture has fewer than 16 or more than 3840 pixels.",
        "Ask for another size.",
    )
    NO_PICTURE = (
        "The video has a picture that can be shown.",
        "The video has no picture, or one that is too large to be shown.",
        "Choose one with POST …/thumbnail.",
    )
    PICTURE_MOMENT = (
        "The moment or part that the picture is to show lies within the video.",
        "A time is no number or outside the video, or the animation is too long or wide.",
        "Compare time, start and end with the duration; an animation has at most 10 s.",
    )
    NO_FRAMES_HERE = (
        "This host has a program that takes pictures out of videos.",
        "The picture is not kept yet, and this host's transcoder makes none.",
        "Install ffmpeg on the host of delivery, or choose a transcoder with SupportsStill.",
    )
    PLAYBACK_REPORT = (
        "The request begins a playback session or reports about one, as players do.",
        "A report of a playback session was forged, over, impossible, or one too many.",
        "The answer's detail says why; docs/how-to/playback-sessions.md has the limits.",
    )

    def __init__(self, asks: str, refusal: str, fix: str) -> None:
        self.asks = asks
        self.refusal = refusal
        self.fix = fix

    @property
    def id(self) -> str:
        """The rule's name in logs, such as ``token_expired``."""
        return self.name.lower()

    @classmethod
    def named(cls, id_: str) -> Self | None:
        """Return the rule with a name; None if this version has no such rule."""
        return next((rule for rule in cls if rule.id == id_), None)
