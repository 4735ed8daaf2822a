import type { AddressInfo, Socket } from 'node:net'
import { isatty } from 'node:tty'
import { requestClose } from '../close-requests.ts'
import { resolveServerLimits } from '../node-limits.ts'
import type { ServeOptions } from '../serve-options.ts'
import { addressOf, refuseRestart, type Server } from '../server.ts'
import type { Service } from '../service.ts'
import { serviceHost } from '../service-host.ts'
import { workerVariable } from './worker.ts'
import { isOwnMessage, type PrimaryMessage, type WorkerMessage } from './worker-messages.ts'

/** What a program forgot to end may keep its worker no longer than this. */
const endMs = 1_000

/** Has a primary started this process? */
export function isWorker(): boolean {
  return process.env[workerVariable] !== undefined && process.send !== undefined
}

/**
 * Opens services in a worker. Its connections come from the primary, which has the port.
 * @throws what a service throws
 */
export async function serveInWorker(
  services: readonly Service[],
  options: ServeOptions,
): Promise<Server> {
  // Programs that this one starts are no workers.
  delete process.env[workerVariable]
  const host = serviceHost(services, options)
  const { node, connections } = host
  const { maxConnections } = resolveServerLimits(options.limits)
  let isDraining = false
  let isReplaced = false
  let closed: Promise<void> | undefined

  await host.open()
  if (!process.connected) {
    await host.close()
    throw new Error('The primary of this worker has ended.')
  }
  ignoreHangUp()
  // Arms the timers for slow requests, as listening does.
  node.emit('listening')
  const bound = await new Promise<AddressInfo>((resolve) => {
    process.on('message', (message: unknown, socket?: Socket) => {
      if (!isOwnMessage<PrimaryMessage>(message)) return
      if (message.resourcery === 'listening') {
        host.setAddress(message.bound.address)
        resolve(message.bound)
      } else if (message.resourcery === 'connection') receive(message.id, socket)
      else endFor(message.isReplaced)
    })
    process.once('disconnect', onDisconnect)
    send({ resourcery: 'ready' })
  })

  return {
    address: addressOf(bound),
    port: bound.port,
    role: 'worker',
    node,
    restart: refuseRestart,
    close() {
      closed ??= closeNow()
      return closed
    },
  }

  function receive(id: number, socket: Socket | undefined): void {
    if (socket && (isDraining || connections.bySocket.size >= maxConnections)) {
      socket.destroy()
      send({ resourcery: 'refused', id })
      return
    }
    // Before anything is read: until then, the primary can give the connection to another worker.
    send({ resourcery: 'accepted', id })
    if (!socket) return
    // As the sockets that a server of node:http accepts itself.
    socket.allowHalfOpen = true
    node.emit('connection', socket)
  }

  async function closeNow(): Promise<void> {
    await host.close(isReplaced, () => {
      isDraining = true
      send({ resourcery: 'draining' })
    })
    process.off('disconnect', onDisconnect)
    // The channel would keep the process.
    if (process.connected) process.disconnect()
  }

  /** Ends the process as its primary wants it, or without one. */
  function endFor(others: boolean): void {
    if (closed) return
    isReplaced = others
    if (requestClose()) return
    closed = closeNow()
    closed.then(
      () => setTimeout(() => process.exit(), endMs).unref(),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }

  function onDisconnect(): void {
    endFor(false)
  }
}

/** SIGHUP is for the primary, also where all processes of a service get it. */
function ignoreHangUp(): void {
  if (!isatty(1)) process.on('SIGHUP', () => undefined)
}

/** A primary that has ended is heard of by `disconnect`. */
function send(message: WorkerMessage): void {
  process.send?.(message, undefined, undefined, () => {})
}
