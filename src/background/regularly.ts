import { reportOrEnd } from './end-with-store.ts'

/** Work that is done again and again, until it is stopped. */
export interface RegularWork {
  /** Waits for the work under way. */
  stop(): Promise<void>
}

/**
 * Does the work now, and after each pause, without keeping the process alive, until it is stopped
 * or the store is closed.
 * @param work gets whether it should end
 */
export function regularly(
  work: (isStopped: () => boolean) => Promise<void>,
  pauseMs: number,
  onError: (error: unknown) => void,
): RegularWork {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> = Promise.resolve()
  const fail = reportOrEnd(onError, () => {
    isStopped = true
  })
  const run = () => {
    underWay = work(() => isStopped)
      .catch((error) => {
        if (!isStopped) fail(error)
      })
      .then(() => {
        if (!isStopped) timer = setTimeout(run, pauseMs).unref()
      })
  }
  run()
  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      return underWay
    },
  }
}
