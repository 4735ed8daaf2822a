import { existsSync } from 'node:fs'
import { DevService } from '../dev/dev-service.ts'
import { type Command, command } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'

const options = {
  port: { type: 'string' },
  host: { type: 'string' },
} as const

/** `resourcery dev`: serves the routers of a module, and again after each change of its files. */
export const devCommand: Command = command({
  name: 'dev',
  synopsis: 'dev <module>',
  summary: 'serves the routers of a module while you write it',
  usage: `resourcery dev <module>

Serves the routers that a module exports, as 'resourcery start' does, and prints a line for each
request. It restarts when a file that the module imports changes; current requests finish.
A module with an error is printed, and the version before goes on.
The module may be TypeScript, with Node.js 22.18 or newer, or with the package 'tsx'.
It is for development: one process, which restarts by itself.

  --port <n>         the port (default: the variable PORT, that of the module, or 3000)
  --host <address>   the address to listen on (default: that of the module, or 127.0.0.1)
`,
  options,
  run: async ({ values, positionals }) => {
    const [file] = expectPositionals(positionals, ['one module'])
    if (!existsSync(file)) throw new Error(`Expected a module; '${file}' does not exist.`)
    const program = new URL('dev-runner.js', import.meta.url)
    const service = new DevService({ program, file, typed: values, print: console.log })
    let hadSignal = false
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.on(signal, () => {
        if (hadSignal) service.kill()
        hadSignal = true
        void service.close()
      })
    await service.run()
    return 0
  },
})
