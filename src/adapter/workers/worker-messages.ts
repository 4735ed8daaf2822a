import type { AddressInfo } from 'node:net'

/**
 * To a worker. A `connection` comes with its socket; the worker sends its number back. `sentAtMs`
 * is a time of the clock that all processes share: another worker may have what is old.
 */
export type PrimaryMessage =
  | { readonly kind: 'resourcery:listening'; readonly address: AddressInfo }
  | { readonly kind: 'resourcery:connection'; readonly id: number; readonly sentAtMs: number }
  /** `staysReady`: other workers go on, so `/readyz` stays 200. */
  | { readonly kind: 'resourcery:close'; readonly staysReady: boolean }

/**
 * To the primary. A worker that is full or closes has `refused` a connection; one that was blocked
 * has read of it too `late`, and can get it again.
 */
export type WorkerMessage =
  | { readonly kind: 'resourcery:ready' | 'resourcery:draining' }
  | {
      readonly kind: 'resourcery:accepted' | 'resourcery:refused' | 'resourcery:late'
      readonly id: number
    }

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
