import { randomBytes } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { isatty } from 'node:tty'
import { processSecretVariable } from '../../crypto/process-secret.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { errorReporter } from '../error-reporter.ts'
import { listen } from '../node-server.ts'
import type { ServeOptions } from '../serve-options.ts'
import { addressOf, type Server } from '../server.ts'
import type { Service } from '../service.ts'
import { serviceHost } from '../service-host.ts'
import { HandOff } from './hand-off.ts'
import { Worker, type WorkerProgram } from './worker.ts'
import { WorkerPool } from './worker-pool.ts'

/** Beyond the time for requests in flight: for services that close, and code in `onClose`. */
const closeMarginMs = 30_000

/** Has a `serve` of this process workers? Each of them runs the whole module. */
let hasWorkers = false

/**
 * Has the port, and gives its connections to workers. It opens no services itself.
 * @throws RegistrationError for invalid options, Error if a worker ends before it is ready
 */
export async function serveByWorkers(
  services: readonly Service[],
  options: ServeOptions,
  count: number,
): Promise<Server> {
  const program = checkedProgram(services, options)
  const report = options.onError ? errorReporter<[], Error>(options.onError) : printMessage
  const handOff = new HandOff()
  const listener = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    // Otherwise Node.js keeps lists of the sockets that each process has.
    Reflect.set(socket, 'server', null)
    handOff.give({ socket, refusals: 0 })
  })
  let bound: AddressInfo | undefined
  let closed: Promise<void> | undefined
  const pool = new WorkerPool({
    count,
    start: () => new Worker(program, handOff),
    begin: (worker) => worker.begin(bound!),
    closeTimeoutMs:
      (options.shutdownDelayMs ?? 0) + (options.shutdownTimeoutMs ?? 10_000) + closeMarginMs,
    report,
    giveUp: ({ message }) => {
      report(new Error(`No worker runs, and none can be started: the service ends. ${message}`))
      process.exit(1)
    },
  })
  hasWorkers = true
  try {
    await pool.open(async () => {
      const { port = 0, host = '127.0.0.1' } = options
      bound = await listen(listener, port, host, report as (error: unknown) => void)
    })
  } catch (error) {
    hasWorkers = false
    listener.close()
    handOff.end()
    throw error
  }
  const removeSignal = restartOnSignal(() =>
    pool.restart().catch((error: Error) => {
      // A restart that a shutdown interrupts is no failure.
      if (!closed) report(error)
    }),
  )

  const close = async (): Promise<void> => {
    removeSignal()
    const closing = pool.close(false)
    const timer = setTimeout(stopListening, options.shutdownDelayMs ?? 0)
    await closing
    clearTimeout(timer)
    stopListening()
    hasWorkers = false
  }
  return {
    address: addressOf(bound!),
    port: bound!.port,
    role: 'primary',
    get node(): never {
      throw new Error("The primary of serve() with 'workers' has no HTTP server; its workers have.")
    },
    restart: () => pool.restart(),
    close() {
      closed ??= close()
      return closed
    },
  }

  function stopListening(): void {
    listener.close()
    handOff.end()
  }
}

/** @throws RegistrationError for what workers would refuse, too, and where they could not run */
function checkedProgram(services: readonly Service[], options: ServeOptions): WorkerProgram {
  if (serviceHost(services, options).listensDuringStart)
    throw new RegistrationError(
      "The option 'duringStart' of health checks does not go with 'workers': a worker gets connections once its services are open.",
    )
  const ofOneProcess = services.find(({ isProcessLocal }) => isProcessLocal)
  if (ofOneProcess)
    throw new RegistrationError(
      `The service at '${ofOneProcess.basePath || '/'}' keeps its data in the memory of one process, so it does not go with 'workers' of serve(). Use a store that processes share, such as sqlite('data/books.db').`,
    )
  if (hasWorkers)
    throw new RegistrationError(
      "Another serve() of this process has 'workers', which run the whole module; expected one. Serve all services by one call, or start the other program by itself.",
    )
  const [, module, ...args] = process.argv
  if (module === undefined)
    throw new RegistrationError(
      "The option 'workers' of serve() needs a module that each worker runs; start the program as a file: 'node main.js'.",
    )
  const env = { [processSecretVariable]: randomBytes(32).toString('hex') }
  return { module, args, env }
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
