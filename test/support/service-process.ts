import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** A service in a process of its own. */
export interface ServiceProcess {
  /** Waits until it has printed a line. */
  said(line: string): Promise<void>
  /** Waits until a part of what it has printed matches. */
  matched(pattern: RegExp): Promise<RegExpExecArray>
  kill(): Promise<void>
}

/** Runs a module with Node.js. */
export function startService(module: string, args: readonly string[]): ServiceProcess {
  const child: ChildProcess = spawn(process.execPath, [module, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const until = async <T>(find: () => T | undefined | null): Promise<T> => {
    for (;;) {
      const found = find()
      if (found) return found
      if (child.exitCode !== null) throw new Error(`The service ended:\n${output}`)
      await wait(20)
    }
  }
  return {
    said: async (line) => {
      await until(() => output.split('\n').includes(line) || undefined)
    },
    matched: (pattern) => until(() => pattern.exec(output)),
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
