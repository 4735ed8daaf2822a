import type { AddressInfo, Socket } from 'node:net'
import { isatty } from 'node:tty'
import { requestClose } from '../close-requests.ts'
import { errorReporter } from '../error-reporter.ts'
import { exitSoon } from '../exit-soon.ts'
import { servedStores } from '../log/served-stores.ts'
import type { ServeSettings } from '../serve-settings.ts'
import { addressOf, refuseRestart, type Server } from '../server.ts'
import type { Service } from '../service.ts'
import { serviceHost } from '../service-host.ts'
import { claimWorkers } from './claim-workers.ts'
import {
  isOwnMessage,
  type PrimaryMessage,
  sharedClockMs,
  type WorkerMessage,
} from './worker-messages.ts'
import { WorkerTakeover } from './worker-takeover.ts'

/**
 * A worker that was blocked gives back connections that were sent longer ago. It is well below the
 * time after which the primary gives them to others, so that no two workers have the same one.
 */
const maxAgeMs = 5_000

/**
 * Opens services in a worker. Its connections come from the primary, which has the port.
 * @throws RegistrationError for another `serve` with workers, and what a service throws
 */
export async function serveInWorker(
  services: readonly Service[],
  settings: ServeSettings,
): Promise<Server> {
  claimWorkers()
  ignoreHangUp()
  const host = serviceHost(services, settings)
  const { node, connections } = host
  const { maxConnections } = settings.limits
  const takeover = new WorkerTakeover(host, settings, serveConnection, send)
  let isDraining = false
  let staysReady = false
  let closed: Promise<void> | undefined

  await host.open()
  if (!process.connected) {
    await host.close()
    throw new Error('The primary of this worker has ended.')
  }
  const stores = await servedStores(services, errorReporter(settings.onError))
  // Arms the timers for slow requests, as listening does.
  node.emit('listening')
  const address = await new Promise<AddressInfo>((resolve) => {
    process.on('message', (message: unknown, socket?: Socket) => {
      if (!isOwnMessage<PrimaryMessage>(message)) return
      switch (message.kind) {
        case 'resourcery:listening':
          host.setAddress(message.address.address)
          return resolve(message.address)
        case 'resourcery:connection':
          return receive(message, socket)
        case 'resourcery:close':
          staysReady = message.staysReady
          return end()
        default:
          takeover.onMessage(message)
      }
    })
    process.once('disconnect', end)
    send({ kind: 'resourcery:ready', stores })
  })

  return {
    address: addressOf(address),
    port: address.port,
    role: 'worker',
    stores,
    node,
    restart: refuseRestart,
    close() {
      closed ??= closeNow()
      return closed
    },
  }

  function receive({ id, sentAtMs }: ConnectionMessage, socket: Socket | undefined): void {
    const isLate = sharedClockMs() - sentAtMs > maxAgeMs
    if (isLate || (socket && !hasRoom())) {
      socket?.destroy()
      send({ kind: isLate ? 'resourcery:late' : 'resourcery:refused', id })
      return
    }
    // Before anything is read: until then, the primary can give the connection to another worker.
    send({ kind: 'resourcery:accepted', id })
    if (!socket) return
    // As the sockets that a server of node:http accepts itself.
    socket.allowHalfOpen = true
    node.emit('connection', socket)
  }

  /** Serves a connection that an old worker forwards. @returns whether it does */
  function serveConnection(socket: Socket): boolean {
    if (!hasRoom()) return false
    node.emit('connection', socket)
    return true
  }

  function hasRoom(): boolean {
    return !isDraining && connections.bySocket.size < maxConnections
  }

  async function closeNow(): Promise<void> {
    takeover.endWaiting()
    await host.close(staysReady, () => {
      isDraining = true
      takeover.stopAccepting()
      send({ kind: 'resourcery:draining' })
    })
    process.off('disconnect', end)
    // The channel would keep the process running.
    if (process.connected) process.disconnect()
  }

  /** Ends the process because its primary asks for it, or has ended. */
  function end(): void {
    if (closed || requestClose()) return
    closed = closeNow()
    closed.then(
      () => exitSoon(() => process.exit()),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
}

type ConnectionMessage = Extract<PrimaryMessage, { readonly kind: 'resourcery:connection' }>

/** SIGHUP is for the primary, also where all processes of a service get it. */
function ignoreHangUp(): void {
  if (!isatty(1)) process.on('SIGHUP', () => undefined)
}

/** A primary that has ended is noticed by `disconnect`. */
function send(message: WorkerMessage): void {
  process.send?.(message, undefined, undefined, () => {})
}
