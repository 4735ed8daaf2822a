import { readdirSync, readFileSync } from 'node:fs'

/** The child processes of a process, including zombies. Linux only: it reads /proc. */
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

/** The processor time of a process in seconds; 0 if it has ended. */
export function computedBy(pid: number): number {
  const [, ...fields] = statOf(pid)
  return (Number(fields[10] ?? 0) + Number(fields[11] ?? 0)) / 100
}

function stateOf(pid: number): string | undefined {
  return statOf(pid)[1]
}

/** The fields after the name of a process, which may contain anything; index 1 is the first. */
function statOf(pid: number): readonly (string | undefined)[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ')').split(' ')
  } catch {
    return []
  }
}
