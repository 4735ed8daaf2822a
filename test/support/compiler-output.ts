import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, temporaryFolder } from './documentation.ts'

/**
 * Compiles examples, by file name, in one run with the compiler options of the project. The result
 * is what the compiler reports: empty if all of them are right.
 */
export function compilerOutput(files: ReadonlyMap<string, string>): string {
  const folder = temporaryFolder('compiled')
  try {
    for (const [name, code] of files) writeFileSync(join(folder, name), code)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.ts'] }),
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'pipe' })
    return ''
  } catch (error) {
    return String((error as { readonly stdout?: Buffer }).stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
