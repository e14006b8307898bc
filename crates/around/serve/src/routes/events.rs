//! The stream of events.

use crate::route::{Gives, Input, Route, RouteHandler, Verb};
use crate::shape::Whole;
use serde::Deserialize;

/// How fast a listener is told.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// least time between two frames, ms
    pub every_ms: Option<Whole<100, 3_600_000>>,
}

impl Pace {
    /// Least time between two frames, ms.
    pub fn ms(&self) -> u64 {
        self.every_ms.map_or(0, |every| every.0 as u64)
    }
}

pub const ROUTES: &[Route] = &[Route {
    query: Input::of::<Pace>(),
    ..Route::new(
        Verb::Get,
        "/api/v1/events",
        "Server-sent events: `head` says what frames mean, `frame` is what the sensors see, `job` how a load goes, \
         `record` a new record, `lost` how many frames and events came too fast for this listener, `unwatched` why there \
         are no frames.",
        Gives::Events,
        RouteHandler::Events,
    )
}];
