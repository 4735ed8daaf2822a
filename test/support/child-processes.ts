import { readdirSync, readFileSync } from 'node:fs'

/**
 * The processes that a process has started, those among them that ended and were not waited for.
 * Linux only: it reads /proc.
 */
export function childrenOf(
  pid: number,
): readonly { readonly pid: number; readonly isZombie: boolean }[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
      .split(' ')
      .filter((id) => id !== '')
      .map((id) => ({ pid: Number(id), isZombie: stateOf(Number(id)) === 'Z' })),
  )
}

/** How long a process has computed, in seconds; 0 where it has ended. */
export function computedBy(pid: number): number {
  const [, ...fields] = statOf(pid)
  return (Number(fields[10] ?? 0) + Number(fields[11] ?? 0)) / 100
}

function stateOf(pid: number): string | undefined {
  return statOf(pid)[1]
}

/** What follows the name of a process, which may hold anything, from index 1 on. */
function statOf(pid: number): readonly (string | undefined)[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ')').split(' ')
  } catch {
    return []
  }
}
