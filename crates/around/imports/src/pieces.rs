//! What the importers find in a file, in one list that ends where reading ends: a small text can hold more results than
//! memory holds pieces.

use crate::{Find, Piece, Text};

/// More results than this of one file are no measurement but damage or somebody's joke.
pub const RESULTS_MAX: usize = 10_000;

/// The pieces of a file, of all importers together. Whoever is asked sees only its own.
#[derive(Debug)]
pub struct Pieces {
    all: Vec<(&'static str, Piece)>,
    importer: &'static str,
    /// Where those of the importer that is asked now begin.
    own: usize,
    max: usize,
    is_cut: bool,
}

impl Default for Pieces {
    fn default() -> Self {
        Pieces::up_to(RESULTS_MAX)
    }
}

impl Pieces {
    fn up_to(max: usize) -> Pieces {
        Pieces {
            all: Vec::new(),
            importer: "",
            own: 0,
            max,
            is_cut: false,
        }
    }

    /// From here on this importer is asked.
    pub fn ask(&mut self, importer: &'static str) {
        self.importer = importer;
        self.own = self.all.len();
    }

    /// Adds a piece, unless there are as many as are read.
    pub fn push(&mut self, piece: Piece) {
        if self.room() == 0 {
            self.is_cut = true;
        } else {
            self.all.push((self.importer, piece));
        }
    }

    /// Adds pieces until there are as many as are read; the rest is not made.
    pub fn extend(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        for piece in pieces {
            self.push(piece);
            if self.is_cut {
                return;
            }
        }
    }

    /// How many more are read.
    pub fn room(&self) -> usize {
        self.max - self.all.len()
    }

    /// Whether there was one more than is read.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether no importer has found anything.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What the importer that is asked has found.
    pub fn own(&self) -> impl DoubleEndedIterator<Item = &Piece> + ExactSizeIterator {
        self.all[self.own..].iter().map(|(_, piece)| piece)
    }

    /// The same, to be changed.
    pub fn own_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Piece> + ExactSizeIterator {
        self.all[self.own..].iter_mut().map(|(_, piece)| piece)
    }

    /// All pieces with their importers, in the order in which they were found.
    pub fn all(&self) -> &[(&'static str, Piece)] {
        &self.all
    }

    /// The same, handed out.
    pub fn into_all(self) -> Vec<(&'static str, Piece)> {
        self.all
    }
}

/// What one importer alone finds in a text.
pub fn found(find: Find, text: &Text) -> Vec<Piece> {
    let mut pieces = Pieces::default();
    find(text, &mut pieces);
    pieces.all.into_iter().map(|(_, piece)| piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printed::wrong_claims::fixtures;
    use crate::{How, importers};

    #[test]
    fn no_importer_makes_more_pieces_than_there_is_room_for() {
        let mut cut = 0;
        for (name, bytes) in fixtures().into_values().flatten() {
            let printed = String::from_utf8_lossy(&bytes);
            let text = Text::new(&printed);
            for importer in importers::ALL {
                let (How::Text(find) | How::Json(find)) = importer.how else {
                    continue;
                };
                let mut pieces = Pieces::up_to(1);
                find(&text, &mut pieces);
                let whole = found(find, &text).len();
                let is_right = pieces.all.len() == whole.min(1) && pieces.is_cut() == (whole > 1);
                assert!(is_right, "{} in {name}: {whole}", importer.id);
                cut += u32::from(pieces.is_cut());
            }
        }
        assert!(cut > 10, "{cut} fixtures have several results");
    }

    #[test]
    fn importers_share_the_room_and_see_their_own() {
        let mut pieces = Pieces::up_to(2);
        pieces.ask("a");
        pieces.push(Piece::default());
        pieces.ask("b");
        assert_eq!((pieces.own().len(), pieces.room()), (0, 1));
        let mut made = 0;
        pieces.extend((0..9).map(|_| {
            made += 1;
            Piece::default()
        }));
        assert_eq!((made, pieces.own().len(), pieces.is_cut()), (2, 1, true));
        let ids: Vec<_> = pieces.all().iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, ["a", "b"]);
    }
}
