import type { Socket } from 'node:net'
import { errorReporter } from '../error-reporter.ts'
import type { ServeSettings } from '../serve-settings.ts'
import { ForwardedPort } from './forwarded-port.ts'
import { type GatedHost, RequestGate } from './request-gate.ts'
import type { PrimaryMessage, WorkerMessage } from './worker-messages.ts'

/** A worker's part where new workers take the place of old ones: it is new first, and old later. */
export class WorkerTakeover {
  readonly #gate: RequestGate
  readonly #port: ForwardedPort
  readonly #report: (error: unknown) => void
  readonly #send: (message: WorkerMessage) => void

  /** @param serve serves a connection that an old worker forwards, and returns whether it does */
  constructor(
    host: GatedHost,
    { onError }: Pick<ServeSettings, 'onError'>,
    serve: (socket: Socket) => boolean,
    send: (message: WorkerMessage) => void,
  ) {
    this.#report = errorReporter(onError)
    this.#gate = new RequestGate(host, this.#report)
    this.#port = new ForwardedPort(serve, this.#report)
    this.#send = send
  }

  onMessage(message: PrimaryMessage): void {
    switch (message.kind) {
      case 'resourcery:pause':
        void this.#gate
          .pause()
          .then(() => this.#send({ kind: 'resourcery:paused', ask: message.ask }))
        break
      case 'resourcery:resume':
        this.#gate.resume()
        break
      case 'resourcery:forward':
        this.#gate.forwardTo(message.port)
        break
      case 'resourcery:port-is-gone':
        this.#gate.stopForwardingTo(message.port)
        break
      case 'resourcery:accept-forwarded':
        this.#port
          .open()
          .then(
            (port) => this.#send({ kind: 'resourcery:forwarded-port', ask: message.ask, port }),
            this.#report,
          )
        break
      case 'resourcery:refuse-forwarded':
        this.#port.close()
        break
    }
  }

  /** Called when the worker closes: whoever waits gets a response, here or from a new worker. */
  endWaiting(): void {
    this.#gate.end()
  }

  /** Called when it wants no further connections. Old workers forward until then. */
  stopAccepting(): void {
    this.#port.close()
  }
}
