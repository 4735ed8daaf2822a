import { psqlPath } from './binaries.ts'
import { runProgram } from './run-program.ts'
import { sharedServer } from './shared-server.ts'

/** Runs commands in `psql`, as another program beside a service. @returns what it prints */
export async function psql(database: string, ...commands: readonly string[]): Promise<string> {
  const { folder, port } = await sharedServer()
  const address = ['-h', folder, '-p', String(port), '-U', 'postgres', '-d', database]
  return runProgram(psqlPath!, [
    '--no-psqlrc',
    '--quiet',
    '--set=ON_ERROR_STOP=1',
    ...address,
    ...commands.flatMap((command) => ['-c', command]),
  ])
}
