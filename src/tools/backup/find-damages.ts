import { join } from 'node:path'
import type { DataFiles } from '../../store/public.ts'
import { isThere } from './copy-files.ts'

/** What the parts of a store's data have in common, whatever is in them. */
type PartFiles = DataFiles<{ readonly files?: DataFiles<unknown> | undefined }>

/** A file or folder of a backup, by its name there, and the same part of a service. */
export type BackupPart = readonly [name: string, files: PartFiles]

/** The parts that a backup does not have, in sentences. */
export async function findMissing(
  folder: string,
  parts: readonly BackupPart[],
): Promise<readonly string[]> {
  const missing: string[] = []
  for (const [name] of parts)
    if (!(await isThere(join(folder, name)))) missing.push(missingFile(name))
  return missing
}

/** What is damaged in a copy of a part, in sentences. */
export async function findDamages(
  [name, files]: BackupPart,
  path: string,
): Promise<readonly string[]> {
  const damages = (await files.at(path).files?.findDamage()) ?? []
  return damages.map((damage) => `'${name}' is damaged: ${damage}`)
}

export function missingFile(name: string): string {
  return `The backup is damaged: '${name}' is missing.`
}
