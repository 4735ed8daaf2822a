import { type ExecFileOptions, execFile, execFileSync } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { promisify } from 'node:util'

interface User {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL and PgBouncer refuse to run as root, so that root runs them as another user. */
const user: User | undefined = process.getuid?.() === 0 ? unprivilegedUser() : undefined

export async function runProgram(
  program: string,
  parameters: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, parameters, {
    // The folder of the project may be closed to the user.
    cwd: '/',
    maxBuffer: 2 ** 26,
    ...options,
    env: { ...process.env, LC_ALL: 'C.UTF-8', ...options.env },
    ...user,
    encoding: 'utf8',
  })
  return stdout
}

/** Gives a file or folder to the user that programs run as. */
export async function giveToUser(path: string): Promise<void> {
  if (user) await chown(path, user.uid, user.gid)
}

function unprivilegedUser(): User {
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf(name, '-u'), gid: idOf(name, '-g') }
    } catch {}
  }
  throw new Error("There is neither a user 'postgres' nor a user 'nobody' to run PostgreSQL as.")
}

function idOf(name: string, option: string): number {
  return Number(execFileSync('id', [option, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
}
