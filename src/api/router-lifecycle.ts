import { pagePathsOf } from '../feature/features.ts'
import type { ItemsOf } from '../model/items/items.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { checkOwnPaths } from '../openapi/own-routes.ts'
import type { RouterPart } from '../pipeline/router-part.ts'
import { fillRollups } from '../store/rollups/fill-rollups.ts'
import type { PlanOptions } from '../store/store.ts'
import { checkInBackground } from './check-in-background.ts'
import type { OpenRouter } from './opening.ts'
import type { Registrations } from './registrations.ts'
import type { RouterDocuments } from './router-documents.ts'
import type { RouterExtension } from './router-extensions.ts'
import { routerHandler } from './router-handler.ts'
import type { RouterOptions } from './router-options.ts'
import type { ConfiguredRouter } from './router-settings.ts'
import { registerSharedModels } from './shared-models.ts'
import { progressLines } from './start-progress.ts'

/** What a router is made of until it opens. */
export interface RouterParts extends ConfiguredRouter {
  readonly options: RouterOptions
  readonly registrations: Registrations
  readonly documents: RouterDocuments
  /** Grow until the router opens. */
  readonly extensions: readonly RouterExtension[]
  readonly part: RouterPart
}

/** Opens and closes what a router uses. */
export interface RouterLifecycle {
  /**
   * Freezes the registrations, opens the store and compiles what handles requests. It can be called
   * again if it has failed.
   * @throws RegistrationError, and what the store throws
   */
  open(): Promise<OpenRouter>
  /** Ends the check of stored values, which reads a table for long; the next start begins it. */
  endCheck(): void
  close(): Promise<void>
}

/**
 * @param items of the router, for authenticators
 * @param checkServices refuses services of one's own whose paths belong to the router
 */
export function routerLifecycle(
  parts: RouterParts,
  items: ItemsOf,
  checkServices: () => void,
): RouterLifecycle {
  const { options, settings, storage, consumers, registrations, documents, extensions, part } =
    parts
  const { basePath, features, variants, onError, hookTimeoutMs } = settings
  let release = (): void => undefined
  let endCheck = async (): Promise<void> => undefined
  const openStorage = async (
    models: readonly ModelDescription[],
    loggedModels: readonly ModelDescription[],
  ): Promise<void> => {
    release()
    release = registerSharedModels(options.store, {
      models,
      loggedModels,
      blobs: options.blobs,
    })
    const onProgress = options.onProgress ?? progressLines({ print: console.error })
    await storage.open(settings.storedModels(models), {
      onProgress,
      ...keptBeside(settings, models),
      hookTimeoutMs,
    })
    await fillRollups(options.store, models, onProgress)
  }
  return {
    async open() {
      const { models } = registrations.assembled()
      const rules = registrations.rules()
      checkOwnPaths(registrations.routes, rules, basePath)
      checkServices()
      const loggedModels = features.flatMap((feature) => feature.loggedModels?.(models) ?? [])
      consumers.check(models, loggedModels)
      registrations.freeze()
      const facts = { models, rules, pagePaths: pagePathsOf(features) }
      for (const feature of features) feature.frozen?.(facts)
      if (part.kind !== 'entrance') {
        await openStorage(models, loggedModels)
        for (const feature of features) feature.opened?.(facts)
        endCheck = checkInBackground(options.store, models, (error) => onError(error, undefined))
      }
      return routerHandler(options, settings, registrations, documents, items, part)
    },
    endCheck: () => void endCheck(),
    async close() {
      if (part.kind === 'entrance') return
      release()
      await endCheck()
      for (const extension of extensions) await extension.close()
      for (const feature of features) await feature.close?.()
      await variants?.close()
      await storage.close()
    },
  }
}

/** What the store keeps besides items, as options need it. */
export function keptBeside(
  { features }: Pick<ConfiguredRouter['settings'], 'features'>,
  models: readonly ModelDescription[],
): Required<PlanOptions> {
  return {
    keepsRequests: features.some((feature) => feature.keepsRequests),
    keepsChanges: features.some(({ loggedModels }) => (loggedModels?.(models).length ?? 0) > 0),
  }
}
