"""Make the services that make captions by machine."""

from functools import cached_property

from hvcore.assembly.backends import Backends
from hvcore.services.captions.defaults import CaptionDefaults
from hvcore.services.captions.making import CaptionMaking
from hvcore.services.captions.orders import CaptionOrders
from hvcore.services.captions.publishing import GeneratedCaptions
from hvcore.services.captions.spoken_reading import SpokenReading
from hvcore.services.captions.transcripts import Transcripts
from hvcore.services.captions.window_sounds import WindowSounds


class CaptionWiring(Backends):
    """The services for captions by machine, a part of Services; each is made when it is first read."""

    @cached_property
    def caption_orders(self) -> CaptionOrders:
        return CaptionOrders(
            uow=self.uow,
            transcriber=lambda: self.transcriber,
            transcoder=lambda: self.transcoder,
            default_languages=self.settings.transcriber.generate,
        )

    @cached_property
    def caption_defaults(self) -> CaptionDefaults:
        """The service for the captions that a machine makes of an environment's new videos."""
        return CaptionDefaults(uow=self.uow, orders=self.caption_orders)

    @cached_property
    def transcripts(self) -> Transcripts:
        """The service that reads captions as transcripts."""
        return Transcripts(uow=self.uow, storage=self.storage)

    @cached_property
    def spoken_reading(self) -> SpokenReading:
        """The service that reads what captions say for the search."""
        return SpokenReading(uow=self.uow, storage=self.storage)

    @cached_property
    def caption_making(self) -> CaptionMaking:
        return CaptionMaking(
            uow=self.uow,
            sounds=WindowSounds(
                storage=self.storage,
                transcoder=self.transcoder,
                work_dir=self.recipe.work_dir,
            ),
            transcriber=self.transcriber,
            generated=GeneratedCaptions(
                uow=self.uow, storage=self.storage, clock=self.clock
            ),
            min_confidence=self.settings.transcriber.min_confidence,
        )
