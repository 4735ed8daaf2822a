import { StoreUnavailable } from '../store.ts'

/** What is opened when it is first needed, once for all who need it, and closed once. */
export interface LazyConnection<O> {
  /** Undefined before it is open, and from when it is being closed. */
  current(): O | undefined
  /**
   * Each call tries again where the one before failed.
   * @throws StoreUnavailable once it is being closed
   */
  ready(): Promise<O>
  /**
   * Not deferred where it need not be: each promise costs each read its time, and a write handed in
   * before `close` is called must run.
   */
  whenOpen<T>(work: (opened: O) => Promise<T>): Promise<T>
  /** What is being opened is waited for first. */
  close(): Promise<void>
}

/** @param what it is, for who comes too late: `The store` */
export function lazyConnection<O>(
  what: string,
  connect: () => Promise<O>,
  disconnect: (opened: O) => Promise<void>,
): LazyConnection<O> {
  let opened: O | undefined
  let connecting: Promise<O> | undefined
  let closing: Promise<void> | undefined

  const now = (): O | undefined => (closing ? undefined : opened)

  // Both change in one step: who asks in between would connect again, and who closes would close
  // nothing.
  const open = async (): Promise<O> => {
    try {
      opened = await connect()
      return opened
    } finally {
      connecting = undefined
    }
  }

  const ready = async (): Promise<O> => {
    if (closing) throw new StoreUnavailable(`${what} is closed.`)
    if (opened !== undefined) return opened
    connecting ??= open()
    return connecting
  }

  const shut = async (): Promise<void> => {
    const last = opened ?? (await connecting?.catch(() => undefined))
    if (last !== undefined) await disconnect(last)
  }

  return {
    current: now,
    ready,
    whenOpen: (work) => {
      const found = now()
      return found === undefined ? ready().then(work) : work(found)
    },
    close: () => {
      closing ??= shut()
      return closing
    },
  }
}
