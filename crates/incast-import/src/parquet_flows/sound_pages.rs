//! Columns whose pages promise no more values than there can be. The library makes room for as
//! many as the head of a page says, before it decodes any: a damaged head asks for gigabytes.

use std::sync::Arc;

use parquet::arrow::arrow_reader::RowGroups;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FilePageIterator, FileReader};

/// A file, read through [`SoundPages`].
pub(super) struct SoundFile(pub(super) Arc<dyn FileReader>);

impl RowGroups for SoundFile {
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let chunks = FilePageIterator::new(column, Arc::clone(&self.0))?;
        let groups = self.metadata().row_groups();
        // A group without this column has no pages, either.
        let values = |group: &RowGroupMetaData| group.columns().get(column).map_or(0, most_values);
        let values: Vec<u64> = groups.iter().map(values).collect();
        Ok(Box::new(SoundChunks {
            chunks,
            values: values.into_iter(),
        }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.metadata().row_groups().iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        FileReader::metadata(self.0.as_ref())
    }
}

fn most_values(chunk: &parquet::file::metadata::ColumnChunkMetaData) -> u64 {
    u64::try_from(chunk.num_values()).unwrap_or(0)
}

/// The chunks of a column, one for each row group.
struct SoundChunks {
    chunks: FilePageIterator,
    /// How many values each has.
    values: std::vec::IntoIter<u64>,
}

impl Iterator for SoundChunks {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let values = self.values.next().unwrap_or(0);
        let pages = self.chunks.next()?;
        Some(pages.map(|pages| Box::new(SoundPages { pages, values }) as Box<dyn PageReader>))
    }
}

impl PageIterator for SoundChunks {}

/// The pages of a chunk.
struct SoundPages {
    pages: Box<dyn PageReader>,
    /// How many values the chunk has.
    values: u64,
}

impl SoundPages {
    fn checked(&self, page: Page) -> Result<Page> {
        let promised = u64::from(page.num_values());
        let most = match &page {
            // A value takes a byte at least.
            Page::DictionaryPage { buf, .. } => buf.len() as u64,
            Page::DataPage { .. } | Page::DataPageV2 { .. } => self.values,
        };
        match promised <= most {
            true => Ok(page),
            false => Err(ParquetError::General(format!(
                "a page of at most {most} values says that it has {promised}"
            ))),
        }
    }
}

impl PageReader for SoundPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for SoundPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
