import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelDescription, Store } from '../../store/public.ts'
import { readManifest, refuseOtherPlace } from './backup-manifest.ts'
import { findChanges } from './check-sums.ts'
import { copyDurably } from './copy-files.ts'
import { backupPartsOf, type DataSource } from './data-source.ts'
import { findDamages, findMissing } from './find-damages.ts'
import { blobsName, itemsName } from './part-names.ts'
import { type VerifyReport, verifyData } from './verify-data.ts'

/** How a service opens its store. */
export interface StoreOpening {
  /** The models whose items clients see. */
  readonly models: readonly ModelDescription[]
  /** Those of all that the store keeps, such as former versions. */
  readonly storedModels: readonly ModelDescription[]
  open(store: Store): Promise<void>
}

/**
 * Restores a backup into a temporary folder, opens it as the service does, and reads all of it. The
 * backup and the service stay as they are.
 *
 * @throws Error if it cannot be opened
 */
export async function testRestore(
  backup: string,
  source: DataSource,
  { models, storedModels, open }: StoreOpening,
): Promise<VerifyReport & { readonly madeAt: string }> {
  const { madeAt, blobs: place, sums } = await readManifest(backup)
  refuseOtherPlace(place, source.blobsAre)
  const parts = backupPartsOf(source)
  const missing = await findMissing(backup, parts)
  if (missing.length > 0) return { madeAt, ...damagedReport(missing) }
  const changes = await findChanges(backup, parts, sums)
  const folder = await mkdtemp(join(tmpdir(), 'resourcery-restore-'))
  const file = join(folder, itemsName)
  try {
    const damages: string[] = []
    for (const part of parts) {
      const copy = join(folder, part[0])
      await copyDurably(join(backup, part[0]), copy)
      damages.push(...(await findDamages(part, copy)))
    }
    const store = source.items.at(file)
    const blobs = source.blobs?.at(place === 'separate' ? join(folder, blobsName) : file)
    if (damages.length > 0) return { madeAt, ...damagedReport([...changes, ...damages]) }
    try {
      await blobs?.open()
      await open(store)
      const report = await verifyData(store, blobs, models, storedModels)
      return {
        madeAt,
        ...report,
        faults: [...changes, ...report.faults],
        faultCount: changes.length + report.faultCount,
      }
    } finally {
      await blobs?.close()
      await store.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function damagedReport(damages: readonly string[]): VerifyReport {
  return {
    itemCounts: {},
    resourceCount: 0,
    readByteCount: 0,
    faults: damages,
    faultCount: damages.length,
  }
}
