//! Pages whose header promises no more values than the page can hold. The library allocates memory
//! for the promised number before it decodes a page: a damaged header asks for gigabytes.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// The pages of a column in a row group.
pub(crate) struct SoundPages {
    pub(crate) pages: Box<dyn PageReader>,
    /// The number of values in all pages, as the file says.
    pub(crate) values: u64,
}

impl SoundPages {
    fn checked(&self, page: Page) -> Result<Page> {
        let promised = u64::from(page.num_values());
        let most = match &page {
            // A value takes at least one byte.
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
