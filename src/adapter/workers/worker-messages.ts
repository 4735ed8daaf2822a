import type { AddressInfo } from 'node:net'

/** To a worker. A `connection` comes with its socket; the worker sends its number back. */
export type PrimaryMessage =
  | { readonly kind: 'resourcery:listening'; readonly address: AddressInfo }
  | { readonly kind: 'resourcery:connection'; readonly id: number }
  /** `staysReady`: other workers go on, so `/readyz` stays 200. */
  | { readonly kind: 'resourcery:close'; readonly staysReady: boolean }

/** To the primary. */
export type WorkerMessage =
  | { readonly kind: 'resourcery:ready' | 'resourcery:draining' }
  | { readonly kind: 'resourcery:accepted' | 'resourcery:refused'; readonly id: number }

/** A program may send messages of its own on the same channel. */
export function isOwnMessage<Message extends PrimaryMessage | WorkerMessage>(
  message: unknown,
): message is Message {
  const { kind } = Object(message) as { readonly kind?: unknown }
  return typeof kind === 'string' && kind.startsWith('resourcery:')
}
