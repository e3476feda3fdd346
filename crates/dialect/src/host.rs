//! What a dialect may ask about the system it runs on; the caller answers.

/// The few facts and texts a dialect needs from outside.
pub trait Host {
    /// Text of a job file or of a file it includes. `-` is standard input.
    ///
    /// # Errors
    /// Why it cannot be read, for people.
    fn read_file(&self, path: &str) -> Result<String, String>;

    /// Value of an environment variable; `None` when it is not set.
    fn env(&self, name: &str) -> Option<String>;

    /// Number of CPUs online, at least 1.
    fn cpus(&self) -> u32;

    /// Number of CPUs of the machine, those that this process may not use too: CPU numbers are below it.
    fn all_cpus(&self) -> u32 {
        self.cpus()
    }

    /// What is in a file, byte for byte.
    ///
    /// # Errors
    /// Why it cannot be read, for people.
    fn read_bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        self.read_file(path).map(String::into_bytes)
    }

    /// Size of a memory page in bytes.
    fn page_size(&self) -> u64;

    /// Memory of the machine in MiB.
    fn memory_mb(&self) -> u64;

    /// Whether anything is at this path.
    fn exists(&self, _path: &str) -> bool {
        false
    }

    /// Whether the kernel does I/O to what is or would be at this path within the call alone: it is in a file
    /// system in memory, of which no I/O can be taken and done later.
    fn only_inside_call(&self, _path: &str) -> bool {
        false
    }

    /// Numbers of the CPUs that may be used, in order; never empty.
    fn cpu_list(&self) -> Vec<u32> {
        (0..self.cpus()).collect()
    }

    /// Milliseconds since some start: DISKSPD's seed where none is given.
    fn ticks(&self) -> u32 {
        0
    }
}

/// A host whose files all have this text, and that has nothing else: for reading again what a tool wrote of its own input.
#[derive(Clone, Copy, Debug)]
pub struct OneText<'a>(pub &'a str);

impl Host for OneText<'_> {
    fn read_file(&self, _path: &str) -> Result<String, String> {
        Ok(self.0.to_owned())
    }

    fn env(&self, name: &str) -> Option<String> {
        NoHost.env(name)
    }

    fn cpus(&self) -> u32 {
        NoHost.cpus()
    }

    fn page_size(&self) -> u64 {
        NoHost.page_size()
    }

    fn memory_mb(&self) -> u64 {
        NoHost.memory_mb()
    }
}

/// A host that has no files and no variables: 1 CPU, pages of 4096 bytes, 1024 MiB.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn read_file(&self, path: &str) -> Result<String, String> {
        Err(format!("`{path}` does not exist"))
    }

    fn env(&self, _name: &str) -> Option<String> {
        None
    }

    fn cpus(&self) -> u32 {
        1
    }

    fn page_size(&self) -> u64 {
        4096
    }

    fn memory_mb(&self) -> u64 {
        1024
    }
}
