//! How much writing disturbs reading: p99 of the reads by what is written beside them.

use crate::figure::{Figure, FigureTable};
use crate::frame::{Size, both};
use crate::svg::{Anchor, Picture, Svg};
use model::interference::{InterferenceCell, Matrix};
use model::record::Record;
use model::units;
use view::scale::Quantity;

/// Steps of the ramp.
const STEPS: usize = 8;

/// The matrix, where one was measured.
pub fn figure(record: &Record) -> Option<Figure> {
    let matrix = record.studies().interference.as_ref()?;
    let title = title(matrix);
    if matrix.cells.iter().filter(|cell| cell.visits > 0).count() < 2 {
        let why =
            "Fewer than two cells were measured before the run ended; a longer --budget helps.";
        return Some(Figure::absent("interference", &title, why));
    }
    let (svg, narrow) = both(0.0, |size, id| draw(matrix, size, id), "interference");
    Some(Figure {
        id: "interference".into(),
        title,
        caption: format!(
            "p99 of the reads in each cell, on a logarithmic scale that ends at the worst. Hatched: the load did not reach 97 % \
             of what was asked. {} Writes of {}; windows of {}, seed {}.",
            if matrix.open_loop {
                "Reads arrived at random moments and waited for nobody."
            } else {
                "Closed loop: waits for a free slot are not counted."
            },
            units::bytes(matrix.write_bs as f64),
            units::span_ms(matrix.window_ms),
            matrix.seed
        ),
        description: description(matrix),
        svg,
        narrow,
        table: table(matrix),
        absent: None,
        readings: None,
    })
}

fn title(matrix: &Matrix) -> String {
    let first = matrix.doubles_from.iter().flatten().min();
    match first.and_then(|step| matrix.write_steps.get(*step)) {
        Some(step) => format!(
            "Reads: p99 doubles from {} of writes on",
            units::bytes_per_s(*step)
        ),
        None if matrix.doubles_from.is_empty() => "Reads beside writes".into(),
        None => "Reads: p99 doubles at no rate of writes that was tried".into(),
    }
}

fn description(matrix: &Matrix) -> String {
    let measured = || matrix.cells.iter().filter(|cell| cell.visits > 0);
    let worst = measured().max_by_key(|cell| cell.p99_ns);
    let missed = measured().filter(|cell| !cell.reached).count();
    let worst = worst.map_or(String::new(), |cell| {
        format!(
            " The worst p99, {}, is at {} of reads and {} of writes.",
            units::duration_ns(cell.p99_ns as f64),
            Quantity::Iops.words(cell.read_iops),
            units::bytes_per_s(cell.write_bytes_per_s)
        )
    });
    format!(
        "{} cells measured, {missed} of them did not reach what was asked.{worst}",
        measured().count()
    )
}

fn table(matrix: &Matrix) -> FigureTable {
    let mut table = FigureTable::new(&[
        "writes asked",
        "reads asked",
        "writes got",
        "reads got",
        "p50",
        "p95",
        "p99",
        "reached",
    ]);
    for cell in &matrix.cells {
        let step = |steps: &[f64], index: usize| steps.get(index).copied().unwrap_or(0.0);
        let ns = |value: u64| {
            if cell.visits == 0 {
                "–".into()
            } else {
                units::duration_ns(value as f64)
            }
        };
        table.row([
            units::bytes_per_s(step(&matrix.write_steps, cell.write)),
            Quantity::Iops.words(step(&matrix.read_steps, cell.read)),
            units::bytes_per_s(cell.write_bytes_per_s),
            Quantity::Iops.words(cell.read_iops),
            ns(cell.p50_ns),
            ns(cell.p95_ns),
            ns(cell.p99_ns),
            if cell.visits == 0 {
                "not run"
            } else if cell.reached {
                "yes"
            } else {
                "no"
            }
            .into(),
        ]);
    }
    table.first("cells")
}

/// Where the cells stand.
struct Grid {
    left: f64,
    top: f64,
    cell_width: f64,
    cell_height: f64,
    columns: usize,
    rows: usize,
}

impl Grid {
    fn new(matrix: &Matrix, size: Size) -> Grid {
        let columns = matrix.write_steps.len().max(1);
        let left = if size.is_narrow() { 64.0 } else { 92.0 };
        Grid {
            left,
            top: 28.0,
            cell_width: ((size.width - left - 14.0) / columns as f64).min(100.0),
            cell_height: 34.0,
            columns,
            rows: matrix.read_steps.len().max(1),
        }
    }

    fn right(&self) -> f64 {
        self.left + self.columns as f64 * self.cell_width
    }

    fn bottom(&self) -> f64 {
        self.top + self.rows as f64 * self.cell_height
    }
}

fn draw(matrix: &Matrix, size: Size, id: &str) -> Picture {
    let grid = Grid::new(matrix, size);
    let mut svg = Svg::new();
    svg.text(
        "t2",
        (4.0, 14.0),
        Anchor::Start,
        "reads asked; colour and figure: p99 of the reads",
    );
    draw_cells(&mut svg, id, matrix, &grid);
    draw_write_steps(&mut svg, matrix, &grid, size);
    svg.finish(id, (size.width, grid.bottom() + 40.0), &description(matrix))
}

fn draw_cells(svg: &mut Svg, id: &str, matrix: &Matrix, grid: &Grid) {
    let p99s = || {
        matrix
            .cells
            .iter()
            .filter(|cell| cell.visits > 0 && cell.p99_ns > 0)
            .map(|cell| cell.p99_ns as f64)
    };
    let range = (
        p99s().fold(f64::INFINITY, f64::min),
        p99s().fold(0.0, f64::max),
    );
    for row in 0..grid.rows {
        // The most reads stand at the top, as on any axis.
        let y = grid.top + (grid.rows - 1 - row) as f64 * grid.cell_height;
        let label = matrix
            .read_steps
            .get(row)
            .map_or(String::new(), |step| units::count(step.round()));
        svg.text(
            "t2",
            (grid.left - 8.0, y + grid.cell_height / 2.0 + 4.0),
            Anchor::End,
            &label,
        );
        for column in 0..grid.columns {
            draw_cell(
                svg,
                id,
                matrix.cell(column, row),
                (grid.left + column as f64 * grid.cell_width, y),
                (grid.cell_width - 2.0, grid.cell_height - 2.0),
                range,
            );
        }
    }
}

/// What the writes asked for, below the cells.
fn draw_write_steps(svg: &mut Svg, matrix: &Matrix, grid: &Grid, size: Size) {
    for (column, step) in matrix.write_steps.iter().enumerate() {
        let x = grid.left + (column as f64 + 0.5) * grid.cell_width;
        let label = if *step == 0.0 {
            "0".into()
        } else {
            units::bytes_per_s(*step)
        };
        let label = if size.is_narrow() {
            label.split(' ').next().unwrap_or("").to_string()
        } else {
            label
        };
        svg.text("t2", (x, grid.bottom() + 16.0), Anchor::Middle, &label);
    }
    let unit = if size.is_narrow() {
        "writes asked, number of the unit in the table"
    } else {
        "writes asked"
    };
    let place = (grid.right(), grid.bottom() + 32.0);
    svg.text("t2", place, Anchor::End, unit);
}

fn draw_cell(
    svg: &mut Svg,
    id: &str,
    cell: Option<&InterferenceCell>,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    (least, most): (f64, f64),
) {
    let Some(cell) = cell.filter(|cell| cell.visits > 0 && cell.p99_ns > 0) else {
        svg.rect("outline", (x, y), (width, height));
        svg.text(
            "t3",
            (x + width / 2.0, y + height / 2.0 + 4.0),
            Anchor::Middle,
            "not run",
        );
        return;
    };
    let p99 = cell.p99_ns as f64;
    let share = if most > least {
        (p99 / least).ln() / (most / least).ln()
    } else {
        0.0
    };
    let step = ((share * STEPS as f64).ceil() as usize).clamp(1, STEPS);
    svg.rect(&format!("q q{step}"), (x, y), (width, height));
    if !cell.reached {
        svg.hatched(id, (x, y), (width, height));
    }
    let text = units::duration_ns(p99);
    svg.text(
        "cell-text",
        (x + width / 2.0, y + height / 2.0 + 4.0),
        Anchor::Middle,
        &text,
    );
}
