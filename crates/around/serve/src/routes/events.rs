//! The stream of events.

use crate::route::{Gives, Route, Run, Verb};
use crate::shape::{Shape, may};

pub const ROUTES: &[Route] = &[Route {
    query: &[may(
        "every_ms",
        Shape::Int {
            min: 100,
            max: 3_600_000,
        },
        "least time between two frames, ms",
    )],
    ..Route::new(
        Verb::Get,
        "/api/v1/events",
        "Server-sent events: `head` says what frames mean, `frame` is what the sensors see, `job` how a load goes, \
         `record` a new record, `lost` how many frames and events came too fast for this listener, `unwatched` why there \
         are no frames.",
        Gives::Events,
        Run::Events,
    )
}];
