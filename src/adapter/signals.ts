import { checkOptions, type OptionChecks, positiveMilliseconds } from '../model/check-options.ts'
import { joinWords } from '../text/message-text.ts'
import { onCloseRequest } from './close-requests.ts'
import { exitSoon } from './exit-soon.ts'

const signals = { SIGINT: 2, SIGTERM: 15 } as const

export interface CloseOnSignalsOptions {
  /**
   * Ends what the program itself has opened: timers, connection pools, queues. Called once, after
   * the server and its services are closed, so that the last requests still find them. Default:
   * nothing.
   */
  readonly onClose?: () => unknown
  /**
   * How long the server, its services and `onClose` may take together, in milliseconds. After that
   * the process exits with 1. It should be longer than `shutdownTimeoutMs` of `serve`, and shorter
   * than the host waits before it kills the process. Default: 20 000.
   */
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 20_000

/** Standard output and error are among the active resources, and keep no process running. */
const standardStreams: ReadonlySet<string> = new Set(['PipeWrap', 'TTYWrap'])

const optionChecks: OptionChecks<CloseOnSignalsOptions> = {
  onClose: 'function',
  timeoutMs: positiveMilliseconds,
}

/**
 * Closes the server on SIGTERM or SIGINT, calls `onClose`, and lets the process end. A second
 * signal exits at once. Returns a function that removes the listeners.
 *
 * If a timer or a socket of the program keeps the process running one second after all is closed,
 * standard error says what it is (`process.getActiveResourcesInfo`), and the process exits with 0.
 * It exits with 1 if something fails or takes longer than `timeoutMs`.
 *
 * ```ts
 * const timer = setInterval(() => {}, 60_000)
 * closeOnSignals(await serve(router, { port: 3000 }), { onClose: () => clearInterval(timer) })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function closeOnSignals(
  server: { close(): Promise<void> },
  options: CloseOnSignalsOptions = {},
): () => void {
  checkOptions('closeOnSignals()', options, optionChecks)
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  let isClosing = false
  let hadSignal = false
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  const removeCloser = onCloseRequest(() => begin('its primary asked it to'))
  return () => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    removeCloser()
  }

  function onSignal(signal: keyof typeof signals): void {
    // A host may signal all processes of a service while the primary closes its workers.
    if (hadSignal) process.exit(128 + signals[signal])
    hadSignal = true
    begin(signal)
  }

  function begin(cause: string): void {
    if (isClosing) return
    isClosing = true
    let pending = 'the server or a service'
    const deadline = setTimeout(() => {
      console.error(
        `The process does not end within ${timeoutMs} ms after ${cause}, because ${pending} is not closed. It exits now.`,
      )
      process.exit(1)
    }, timeoutMs)
    const close = async (): Promise<void> => {
      await server.close()
      pending = "what 'onClose' ends"
      await options.onClose?.()
    }
    close().then(
      () => {
        clearTimeout(deadline)
        exitSoon(exitWithResources)
      },
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
}

/** Runs only while something else keeps the event loop running. */
function exitWithResources(): void {
  console.error(
    `The server is closed, but the program keeps its process running: ${activeResources()}. It exits now. End them in 'onClose' of closeOnSignals().`,
  )
  process.exit()
}

function activeResources(): string {
  const resources = process.getActiveResourcesInfo()
  const own = resources.filter((name) => !standardStreams.has(name))
  const counts = new Map<string, number>()
  for (const name of own.length > 0 ? own : resources) counts.set(name, (counts.get(name) ?? 0) + 1)
  return joinWords([...counts].map(([name, count]) => `${count} × ${name}`))
}
