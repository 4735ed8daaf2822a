import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

/** The folder for the servers of this run; a guard deletes it if the run is killed. */
export function runFolder(): string {
  const { folder, pid } = inject('postgresRun')
  mkdirSync(folder, { recursive: true })
  if (isFirst(join(folder, 'guard'))) {
    chmodSync(folder, 0o755)
    const guard = fileURLToPath(new URL('guard.mjs', import.meta.url))
    const options = { detached: true, stdio: 'ignore' } as const
    spawn(process.execPath, [guard, String(pid), folder], options).unref()
  }
  return folder
}

/** Runs the work in the first worker that needs it; the others wait for it. */
export async function oncePerRun(name: string, work: () => Promise<void>): Promise<void> {
  const outcome = join(runFolder(), `${name}-outcome`)
  const finish = (failure: string): void => {
    writeFileSync(`${outcome}-unread`, failure)
    renameSync(`${outcome}-unread`, outcome)
  }
  if (isFirst(join(runFolder(), `${name}-started`))) {
    try {
      await work()
      finish('')
    } catch (error) {
      finish(String(error))
      throw error
    }
  }
  while (!existsSync(outcome)) await wait(20)
  const failure = readFileSync(outcome, 'utf8')
  if (failure !== '') throw new Error(failure)
}

/** Creates a folder, which only one process can do. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
