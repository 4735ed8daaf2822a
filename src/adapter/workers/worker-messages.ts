import type { AddressInfo } from 'node:net'
import type {
  othersPausedKind,
  pauseOthersKind,
  resumeOthersKind,
} from '../../process/pause-old-workers.ts'
import type { ServedStore } from '../log/served-stores.ts'

/**
 * To a worker. A `connection` comes with its socket; the worker sends its number back. `sentAtMs`
 * is a time of the clock that all processes share: another worker may have what is old. A reply has
 * the number of the question (`ask`).
 *
 * An old worker has to `pause` before a new one changes the store, to `forward` its requests to the
 * port of a new one once that is ready and until the `port-is-gone`, or to `resume` if none is. A
 * new worker learns that the `others-paused`, and has to `accept-forwarded` requests, or to
 * `refuse-forwarded` ones once no old worker is left.
 */
export type PrimaryMessage =
  | { readonly kind: 'resourcery:listening'; readonly address: AddressInfo }
  | { readonly kind: 'resourcery:connection'; readonly id: number; readonly sentAtMs: number }
  /** `staysReady`: other workers go on, so `/readyz` stays 200. */
  | { readonly kind: 'resourcery:close'; readonly staysReady: boolean }
  | { readonly kind: 'resourcery:pause' | 'resourcery:accept-forwarded'; readonly ask: number }
  | { readonly kind: 'resourcery:forward' | 'resourcery:port-is-gone'; readonly port: number }
  | {
      readonly kind: typeof othersPausedKind | 'resourcery:resume' | 'resourcery:refuse-forwarded'
    }

/**
 * To the primary. A worker that is full or closes has `refused` a connection; one that was blocked
 * has read of it too `late`, and can get it again. A new worker asks the primary to `pause-others`,
 * and to `resume-others` while it cannot change the store; `forwarded-port` is where it accepts
 * their requests.
 */
export type WorkerMessage =
  | { readonly kind: 'resourcery:ready'; readonly stores: readonly ServedStore[] }
  | { readonly kind: 'resourcery:draining' }
  | { readonly kind: typeof pauseOthersKind | typeof resumeOthersKind }
  | WorkerReply
  | {
      readonly kind: 'resourcery:accepted' | 'resourcery:refused' | 'resourcery:late'
      readonly id: number
    }

/** How long a worker that pauses lets requests under way finish, in milliseconds. */
export const finishMs = 5_000

export type WorkerReply =
  | { readonly kind: 'resourcery:paused'; readonly ask: number }
  | { readonly kind: 'resourcery:forwarded-port'; readonly ask: number; readonly port: number }

/** Milliseconds since the start of the machine, which no change of the date moves. */
export function sharedClockMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1_000_000
}

/** A program may send messages of its own on the same channel. */
export function isOwnMessage<Message extends PrimaryMessage | WorkerMessage>(
  message: unknown,
): message is Message {
  const { kind } = Object(message) as { readonly kind?: unknown }
  return typeof kind === 'string' && kind.startsWith('resourcery:')
}
