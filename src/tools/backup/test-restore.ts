import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DataFiles, ModelDescription, Store } from '../../store/public.ts'
import { blobsName, itemsName, readManifest, refuseOtherPlace } from './backup-manifest.ts'
import { copyDurably } from './copy-files.ts'
import type { DataSource } from './data-source.ts'
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
  const { madeAt, blobs: place } = await readManifest(backup)
  refuseOtherPlace(place, source.blobsAre)
  const folder = await mkdtemp(join(tmpdir(), 'resourcery-restore-'))
  const file = join(folder, itemsName)
  try {
    await copyDurably(join(backup, itemsName), file)
    const store = source.items.at(file)
    const areSeparate = place === 'separate'
    if (areSeparate) await copyDurably(join(backup, blobsName), join(folder, blobsName))
    const blobs = source.blobs?.at(areSeparate ? join(folder, blobsName) : file)
    const damages = [
      ...(await damagesOf(itemsName, store.files)),
      ...(areSeparate ? await damagesOf(blobsName, blobs?.files) : []),
    ]
    if (damages.length > 0) return { madeAt, ...damagedReport(damages) }
    try {
      await blobs?.open()
      await open(store)
      return { madeAt, ...(await verifyData(store, blobs, models, storedModels)) }
    } finally {
      await blobs?.close()
      await store.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function damagesOf(name: string, files: DataFiles<unknown> | undefined) {
  const damages = (await files?.findDamage()) ?? []
  return damages.map((damage) => `'${name}' is damaged: ${damage}`)
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
