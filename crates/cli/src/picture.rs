//! A picture in SVG as PNG.
//!
//! Belongs here: fonts of this machine, pixels, and the text by which the file is known to be leadline's. Must never: draw.

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pixels for each unit of the picture: print and dense screens need two.
const SCALE: f32 = 2.0;
/// Paper behind what the picture leaves open.
const PAPER: Color = Color::WHITE;
/// More fonts than a picture needs; reading all of a large collection takes seconds.
const MOST_FONTS: usize = 200;
/// Bytes of a font file; larger ones are of scripts that no label is in.
const LARGEST: u64 = 8 << 20;

/// A picture as PNG, at twice its size.
///
/// # Errors
/// Why it cannot be drawn, in words: this machine has no font, or the picture is too large.
pub(crate) fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = Database::new();
    folders().iter().for_each(|folder| load(folder, &mut fonts));
    let family = family(&fonts).ok_or("there is no font on this machine for its text")?;
    fonts.set_sans_serif_family(family);
    let options = Options {
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size();
    let size = size.scale_by(SCALE).ok_or("it is too large")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
    pixels.fill(PAPER);
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixels.as_mut(),
    );
    encoded(&pixels).map_err(|error| error.to_string())
}

/// The file, with a text chunk that says who made it: by that it may be replaced.
fn encoded(pixels: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.add_text_chunk("Software".to_owned(), "leadline".to_owned())?;
    let mut writer = encoder.write_header()?;
    // The paper is opaque: there is no transparency that would have to be taken out of the colours.
    writer.write_image_data(pixels.data())?;
    writer.finish()?;
    Ok(file)
}

/// Where fonts are.
fn folders() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let own = home
        .into_iter()
        .flat_map(|home| [".fonts", ".local/share/fonts"].map(|folder| home.join(folder)));
    let all = ["/usr/share/fonts", "/usr/local/share/fonts"];
    all.iter().map(PathBuf::from).chain(own).collect()
}

/// Adds the fonts below a folder.
fn load(folder: &Path, fonts: &mut Database) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if fonts.len() >= MOST_FONTS {
            return;
        }
        if path.is_dir() && !path.is_symlink() {
            load(&path, fonts);
            continue;
        }
        let ending = path.extension().and_then(|e| e.to_str());
        let is_font = ending.is_some_and(|e| ["ttf", "otf"].contains(&e));
        let small = || std::fs::metadata(&path).is_ok_and(|file| file.len() <= LARGEST);
        if is_font
            && small()
            && let Ok(data) = std::fs::read(&path)
        {
            fonts.load_font_data(data);
        }
    }
}

/// The family that stands for all without serifs: one that is known to be, or any.
fn family(fonts: &Database) -> Option<String> {
    const KNOWN: [&str; 6] = [
        "DejaVu Sans",
        "Liberation Sans",
        "Noto Sans",
        "Arial",
        "Roboto",
        "Open Sans",
    ];
    let names = || {
        let faces = fonts.faces();
        faces.filter_map(|face| face.families.first().map(|(name, _)| name.as_str()))
    };
    let known = KNOWN
        .iter()
        .find(|known| names().any(|name| name == **known));
    let found = known.copied().or_else(|| names().next());
    found.map(str::to_owned)
}
