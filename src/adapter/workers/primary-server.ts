import { type AddressInfo, createServer } from 'node:net'
import { isatty } from 'node:tty'
import { errorReporter } from '../error-reporter.ts'
import { logStart } from '../log/log-start.ts'
import type { ServedStore } from '../log/served-stores.ts'
import { listen } from '../node-server.ts'
import type { ServeSettings } from '../serve-settings.ts'
import { addressOf, type Server } from '../server.ts'
import { claimWorkers } from './claim-workers.ts'
import { HandOff } from './hand-off.ts'
import { Worker } from './worker.ts'
import { WorkerPool } from './worker-pool.ts'
import { workerProgram } from './worker-program.ts'

/** Beyond the time for requests in flight: for services that close, and code in `onClose`. */
const closeMarginMs = 30_000

/**
 * Has the port, and gives its connections to workers. It opens no services itself.
 * @throws RegistrationError for another `serve` with workers, and for a program that is no file;
 * Error if a worker ends before it is ready
 */
export async function serveByWorkers(count: number, settings: ServeSettings): Promise<Server> {
  const program = workerProgram()
  const release = claimWorkers()
  const { shutdownDelayMs, shutdownTimeoutMs } = settings
  const report = settings.onError ? errorReporter<[], Error>(settings.onError) : printMessage
  const handOff = new HandOff()
  const listener = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    // Otherwise Node.js keeps lists of the sockets that each process has.
    Reflect.set(socket, 'server', null)
    handOff.give({ socket, refusedBy: [] })
  })
  let address: AddressInfo | undefined
  let stores: readonly ServedStore[] = []
  let closed: Promise<void> | undefined
  let hasFailed = false
  const pool = new WorkerPool({
    count,
    start: (others) => new Worker(program, handOff, report, others),
    begin: (worker) => {
      stores = worker.stores
      worker.begin(address!)
    },
    startTimeoutMs: settings.workerStartTimeoutMs,
    closeTimeoutMs: shutdownDelayMs + shutdownTimeoutMs + closeMarginMs,
    report,
    giveUp: ({ message }) => {
      report(new Error(`No worker runs, and none can be started: the service ends. ${message}`))
      process.exit(1)
    },
  })
  const removeSignal = restartOnSignal(() =>
    pool.restart().catch((error: Error) => {
      // A restart that a shutdown interrupts is no failure.
      if (!closed && !hasFailed) report(error)
    }),
  )
  try {
    await pool.open(async () => {
      address = await listen(listener, settings, report as (error: unknown) => void)
    })
  } catch (error) {
    hasFailed = true
    removeSignal()
    release()
    stopListening()
    throw error
  }

  const close = async (): Promise<void> => {
    removeSignal()
    const closing = pool.close(false)
    const timer = setTimeout(stopListening, shutdownDelayMs)
    await closing
    clearTimeout(timer)
    stopListening()
    release()
  }
  const server: Server = {
    address: addressOf(address!),
    port: address!.port,
    role: 'primary',
    get stores() {
      return stores
    },
    get node(): never {
      throw new Error("The primary of serve() with 'workers' has no HTTP server; its workers have.")
    },
    restart: () => pool.restart(),
    close() {
      closed ??= close()
      return closed
    },
  }
  logStart(settings, server)
  return server

  function stopListening(): void {
    listener.close()
    handOff.end()
  }
}

/** On a terminal, SIGHUP means that it was closed, and ends the program as ever. */
function restartOnSignal(restart: () => Promise<void>): () => void {
  if (isatty(0) || isatty(1)) return () => undefined
  const onSignal = (): void => void restart()
  process.on('SIGHUP', onSignal)
  return () => void process.off('SIGHUP', onSignal)
}

function printMessage({ message }: Error): void {
  console.error(message)
}
