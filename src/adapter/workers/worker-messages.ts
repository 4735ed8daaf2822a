import type { AddressInfo } from 'node:net'

/** To a worker. A `connection` comes with its socket, and is answered with the same number. */
export type PrimaryMessage =
  | { readonly resourcery: 'listening'; readonly bound: AddressInfo }
  | { readonly resourcery: 'connection'; readonly id: number }
  /** `isReplaced`: other workers go on, so that the service as a whole stays ready. */
  | { readonly resourcery: 'close'; readonly isReplaced: boolean }

/** To the primary. */
export type WorkerMessage =
  | { readonly resourcery: 'ready' | 'draining' }
  | { readonly resourcery: 'accepted' | 'refused'; readonly id: number }

/** A program may send messages of its own on the same channel. */
export function isOwnMessage<Message extends PrimaryMessage | WorkerMessage>(
  message: unknown,
): message is Message {
  return typeof message === 'object' && message !== null && 'resourcery' in message
}
