import Testing

// The suites of the tests that run processes. The tests of each run one after the other, because all at once would wait for
// the machine longer than they allow. The suites run beside each other: each test has folders and names of its own.

/// Commands for developers and operators, and failures of single processes.
@Suite(.serialized) enum CommandTests {}

/// Plugins, and what becomes of the processes that a host or a plugin starts.
@Suite(.serialized) enum PluginProcessTests {}

/// Many processes, machines that are short of something, and what outlives failures.
@Suite(.serialized) enum MachineTests {}
