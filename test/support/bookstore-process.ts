import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The built bookstore as a process of its own, as `npm start` runs it. */
export interface RunningBookstore {
  readonly address: string
  readonly process: ChildProcess
  /** Its output so far. */
  output(): string
  /** Ends it with a signal, and returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

const main = fileURLToPath(new URL('../../examples/bookstore/dist/main.js', import.meta.url))

export async function startBookstore(
  env: Readonly<Record<string, string>> = {},
): Promise<RunningBookstore> {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: '0', LOG: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exited = once(child, 'exit')
  const address = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const match = /http:\/\/[\w.:[\]]+/.exec(output)
      if (match) resolve(match[0])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`The bookstore ended with ${code}:\n${output}`)))
  })
  return {
    address,
    process: child,
    output: () => output,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      const [code] = (await exited) as [number | null]
      return code
    },
  }
}
