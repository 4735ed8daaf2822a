import { existsSync } from 'node:fs'
import { DevService } from '../dev/dev-service.ts'
import { type Command, command, UsageError } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'
import { startOptions, type TypedStartOptions } from './start-options.ts'

const maxPort = 65_535

const options = {
  port: { type: 'string' },
  host: { type: 'string' },
  database: { type: 'string' },
  eject: { type: 'string' },
} as const

/** `resourcery dev`: serves the routers of a module, and again after each change of its files. */
export const devCommand: Command = command({
  name: 'dev',
  synopsis: 'dev <module or JSON file>',
  summary: 'serves the routers of a module while you write it, or the data of a JSON file',
  usage: `resourcery dev <module or JSON file>

Serves the routers that a module exports, as 'resourcery start' does, and prints a line for each
request. It restarts when a file that the module imports changes; current requests finish.
A module with an error is printed, and the previous version goes on.
The module may be TypeScript, with Node.js 22.18 or newer, or with the package 'tsx'.
It is for development: one process, which restarts by itself.

A JSON file has lists of objects: { "books": [{ "id": 1, "title": "Emma", "authorId": 7 }] }.
Their models are guessed, with relations such as 'authorId', and served as plain REST.

  --port <n>         the port (default: the variable PORT, that of the module, or 3000)
  --host <address>   the address to listen on (default: that of the module, or 127.0.0.1)
  --database <file>  keeps the items of a JSON file in this SQLite file (default: in memory, so
                     that each restart begins with the file again)
  --eject <file>     writes the models of a JSON file to this file as code, and its items to an
                     SQLite file next to it, and serves nothing
`,
  options,
  run: async ({ values, positionals }) => {
    const [file] = expectPositionals(positionals, ['one module or JSON file'])
    if (!existsSync(file)) throw new Error(`Expected a module; '${file}' does not exist.`)
    const { eject: target, ...typed } = values
    if (!file.endsWith('.json') && (target ?? typed.database) !== undefined)
      throw new UsageError(`--eject and --database are for a JSON file; got '${file}'.`)
    if (target !== undefined && typed.database !== undefined)
      throw new UsageError(
        'Expected --eject or --database: --eject writes the items of the JSON file, not those of a database.',
      )
    if (target !== undefined) return writeCode(file, target)
    refuseBadPort(file, typed)
    const program = new URL('dev-runner.js', import.meta.url)
    const service = new DevService({ program, file, typed, print: console.log })
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

/** No change of a file mends it. */
function refuseBadPort(file: string, typed: TypedStartOptions): void {
  const { port = 0 } = startOptions(file, typed, undefined, process.env)
  if (port > maxPort) throw new Error(`The port must be at most ${maxPort}; got ${port}.`)
}

async function writeCode(file: string, target: string): Promise<number> {
  const { eject } = await import('../guess/eject.ts')
  const { database, notes } = await eject(file, target)
  for (const note of notes) console.log(note)
  console.log(`Wrote '${target}', and the items to '${database}'.`)
  console.log(`Serve it by 'npx resourcery dev ${target}'.`)
  return 0
}
