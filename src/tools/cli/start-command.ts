import { startLine } from '../../adapter/log/log-start.ts'
import { closeOnSignals, type Server, serve } from '../../adapter/node.ts'
import { importRouters } from '../import-routers.ts'
import { type Command, command } from './command.ts'
import { controlSocketOf, listenToRestarts } from './control-socket.ts'
import { exportedOptions } from './exported-options.ts'
import { holdHangUp } from './hold-hang-up.ts'
import { expectPositionals } from './parse-arguments.ts'
import { startOptions } from './start-options.ts'

const options = {
  port: { type: 'string' },
  host: { type: 'string' },
  workers: { type: 'string' },
} as const

/** `resourcery start`: serves the routers of a module, from one process or several. */
export const startCommand: Command = command({
  name: 'start',
  synopsis: 'start <module>',
  summary: 'serves the routers of a module, from one process or several',
  usage: `resourcery start <module>

Serves the routers that a module exports. Expects a module that does not serve them.
The module may export options of serve() as 'serveOptions'. The options below replace them, and the
variable PORT replaces their port.
SIGTERM and SIGINT end it when its requests have their responses. With --workers, SIGHUP and
'resourcery restart' replace its processes without a failed request.

  --port <n>         the port (default: the variable PORT, that of the module, or 3000)
  --host <address>   the address to listen on (default: that of the module, or 127.0.0.1)
  --workers <n>      the number of processes that serve; 'auto' starts one for each core
                     (default: that of the module, or the process of the command alone)
`,
  options,
  run: async ({ values, positionals }) => {
    const [file] = expectPositionals(positionals, ['one module'])
    const releaseHangUp = holdHangUp()
    const routers = await importRouters(file)
    const exported = await exportedOptions(file)
    const serveOptions = startOptions(file, values, exported, process.env)
    const hasWorkers = serveOptions.workers !== undefined
    let serving: Promise<Server>
    const listen = () =>
      listenToRestarts(controlSocketOf(file), async () => (await serving).restart())
    // From the beginning, so that a restart that is asked for while the workers start follows.
    // What another process has forked may be a worker, which does not listen.
    let control = hasWorkers && process.send === undefined ? await listen() : undefined
    serving = serve(routers, serveOptions)
    releaseHangUp(hasWorkers)
    const server = await serving.catch((error: unknown) => {
      control?.close()
      throw error
    })
    if (server.role === 'primary') control ??= await listen()
    const line = startLine(server, serveOptions.log)
    if (server.role !== 'worker' && line !== undefined) console.log(line)
    await new Promise<void>((resolve) => {
      closeOnSignals(server, { onClose: resolve })
    })
    control?.close()
    return 0
  },
})
