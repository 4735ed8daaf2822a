import { StoreClosed } from '../store-failures.ts'

/** Opens a connection when it is first needed, once for all callers, and closes it once. */
export interface LazyConnection<O> {
  /** Undefined before it is open and once it is closing. */
  current(): O | undefined
  /**
   * Tries again after a failure.
   * @throws StoreClosed once it is closing
   */
  ready(): Promise<O>
  /**
   * Runs the work at once where the connection is open: an extra promise would slow down every
   * read, and a write started before `close` must run.
   */
  whenOpen<T>(work: (opened: O) => Promise<T>): Promise<T>
  /** Waits until a pending opening has finished. */
  close(): Promise<void>
}

/** @param name used in the error after `close()`, such as `The store` */
export function lazyConnection<O>(
  name: string,
  connect: () => Promise<O>,
  disconnect: (opened: O) => Promise<void>,
): LazyConnection<O> {
  let opened: O | undefined
  let connecting: Promise<O> | undefined
  let closing: Promise<void> | undefined

  const current = (): O | undefined => (closing ? undefined : opened)

  // Sets both in one step: a caller in between would connect again, and `close` would close
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
    if (closing) throw new StoreClosed(`${name} is closed.`)
    if (opened !== undefined) return opened
    connecting ??= open()
    return connecting
  }

  const closeOpened = async (): Promise<void> => {
    const connection = opened ?? (await connecting?.catch(() => undefined))
    if (connection !== undefined) await disconnect(connection)
  }

  return {
    current,
    ready,
    whenOpen: (work) => {
      const connection = current()
      return connection === undefined ? ready().then(work) : work(connection)
    },
    close: () => {
      closing ??= closeOpened()
      return closing
    },
  }
}
