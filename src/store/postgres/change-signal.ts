import { ChangeListeners, type ChangeSignal } from '../change-signal.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { ChangePoll, type LatestChange } from './change-poll.ts'
import type { PostgresConnection } from './connection.ts'
import { NotificationListener, Notifier } from './notifications.ts'
import type { PostgresResult } from './statement.ts'

interface ChangeSignalOptions {
  /** Runs a statement in a transaction of its own. */
  read(statement: Statement): Promise<readonly PostgresResult[]>
  /** Opens a connection that nobody else uses. */
  connect(): Promise<PostgresConnection>
  readonly timeoutMs: number
  /** As `ChangeLogStatements.latest`. */
  readonly latest: Statement
  /** Does the server have notifications? Asked once the store has opened. */
  canNotify(): boolean
}

/** How often it looks where it listens, because notifications may be lost. */
const listeningMs = 1_000
/** How often it looks where it cannot listen. */
const deafMs = 100
/** Changes of this process may wait for other transactions, so it looks again after a commit. */
const committedMs = 20

/**
 * Says when the log of changes in a database may have grown. Processes notify each other, and each
 * looks whether more can be read: what is committed can be read only once the transactions before
 * it have ended.
 */
export function postgresChangeSignal(options: ChangeSignalOptions): ChangeSignal {
  const { read, connect, timeoutMs, latest, canNotify } = options
  const notifier = new Notifier((sql) => read({ sql, parameters: [] }))
  let poll: ChangePoll | undefined

  const look = async (): Promise<LatestChange> => {
    const [result] = await read(latest)
    const [text, isFollowed] = result!.rows[0]!
    return { text: text as string | null, isFollowed: isFollowed === 't' }
  }

  const listeners = new ChangeListeners((onChange) => {
    const begun = new ChangePoll({
      look,
      idleMs: () => (listener?.isListening ? listeningMs : deafMs),
      onChange,
    })
    const onNotified = () => begun.lookWithin(0)
    const listener = canNotify()
      ? new NotificationListener({ connect, timeoutMs, onNotified })
      : undefined
    poll = begun
    return () => {
      begun.stop()
      return listener?.stop()
    }
  })

  return {
    committed() {
      listeners.committed()
      poll?.lookWithin(committedMs)
      if (canNotify()) notifier.notify()
    },
    watch: (listener) => listeners.watch(listener),
    close() {
      notifier.stop()
      return listeners.close()
    },
  }
}
