import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'

/** A channel of `node:diagnostics_channel`, with the type of its messages. */
export interface Channel<M> {
  readonly name: string
  readonly hasSubscribers: boolean
  publish(message: M): void
}

/** Statements that a store has sent to its database in one go. */
export interface StatementsRun {
  /** By the semantic conventions of OpenTelemetry: `db.system.name`. */
  readonly system: 'sqlite' | 'postgresql'
  /** With placeholders instead of values. */
  readonly statements: readonly string[]
  /** By `performance.now()`. */
  readonly startMs: number
  readonly durationMs: number
  /** Undefined where they have succeeded. */
  readonly failure: unknown
}

/** A commit of SQLite. */
export interface CommittedGroup {
  /** How many transactions share it. */
  readonly transactions: number
  /** For how long the file was locked, so that no other process could write. */
  readonly lockMs: number
}

/** A follower of the log of changes has read new ones. */
export interface ChangesRead {
  /** From the oldest of these changes to this moment, by the clock of the machine. */
  readonly delayMs: number
}

/** Gets the values of gauges, from whoever has them. */
export interface GaugeReader {
  read(gauge: Gauge, value: number, of: string): void
}

/** What can be read at any time: connections of a pool by what they do, and lengths of queues. */
export type Gauge =
  | 'connectionsIdle'
  | 'connectionsUsed'
  | 'connectionsMax'
  | 'waitingCalls'
  | 'queue'

/** The names of queues of SQLite files. */
export const writesQueue = 'sqlite writes'
export const scansQueue = 'sqlite scans'

/**
 * Called once for each round trip to a database. Without subscribers it costs the question whether
 * there are any.
 */
export const statementsRun: Channel<StatementsRun> = channelOf('resourcery:statements')

export const groupCommitted: Channel<CommittedGroup> = channelOf('resourcery:sqlite:commit')

export const changesRead: Channel<ChangesRead> = channelOf('resourcery:changes')

/** Pools and queues subscribe for as long as they are open. */
export const gauges: Channel<GaugeReader> = channelOf('resourcery:gauges')

/**
 * Calls the listener with each message, until the returned function is called.
 * @param report gets its errors: those of a listener would end the process
 */
export function listenTo<M>(
  { name }: Channel<M>,
  listener: (message: M) => void,
  report: (error: unknown) => void = console.error,
): () => void {
  const onMessage = (message: unknown): void => {
    try {
      listener(message as M)
    } catch (error) {
      report(error)
    }
  }
  subscribe(name, onMessage)
  return () => void unsubscribe(name, onMessage)
}

function channelOf<M>(name: string): Channel<M> {
  return channel(name) as Channel<M>
}
