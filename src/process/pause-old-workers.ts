import { isWorker } from './worker-process.ts'

/** Sent to the primary, which answers with the other message once the workers have paused. */
export const pauseOthersKind = 'resourcery:pause-others'
export const othersPausedKind = 'resourcery:others-paused'
/** Sent to the primary where the step is not taken yet. */
export const resumeOthersKind = 'resourcery:resume-others'

/** May there be workers of an older version of the program, which pause where this one asks? */
export const mayHaveOldWorkers: () => boolean = isWorker

/** Steps that workers pause for: several stores of a process may open at a time. */
let stepCount = 0

/**
 * Lets the workers of the same primary that run already finish their requests, and keep further
 * ones waiting until this process is ready. A store calls it before a step of its opening that ends
 * processes of the old version, while it holds no lock that their requests need. In other processes
 * it does nothing. It never rejects: the step is right without it too, but fails their requests.
 */
export async function pauseOldWorkers(): Promise<void> {
  if (!mayHaveOldWorkers() || !process.connected) return
  stepCount++
  await new Promise<void>((resolve) => {
    const end = (): void => {
      process.off('message', onMessage).off('disconnect', end)
      resolve()
    }
    const onMessage = (message: unknown): void => {
      if ((Object(message) as { readonly kind?: unknown }).kind === othersPausedKind) end()
    }
    process.on('message', onMessage).on('disconnect', end)
    process.send?.({ kind: pauseOthersKind }, undefined, undefined, (error) => {
      if (error) end()
    })
  })
}

/**
 * Lets workers that have paused go on where the step has to wait for others. A store calls it only
 * where it has changed nothing, and calls `pauseOldWorkers` before it tries again.
 */
export function resumeOldWorkers(): void {
  if (!mayHaveOldWorkers() || !process.connected) return
  stepCount--
  // Another store may have taken its step, and old workers do not know what it has by now.
  if (stepCount === 0) process.send?.({ kind: resumeOthersKind }, undefined, undefined, () => {})
}
