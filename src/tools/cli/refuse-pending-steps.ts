import type { Router } from '../../index.ts'

/**
 * Refuses to open the routers of a module where a start would change their stores: a service with
 * the former models would then respond with 503.
 * @throws Error
 */
export async function refusePendingSteps(file: string, routers: readonly Router[]): Promise<void> {
  for (const router of routers) {
    const steps = await router.plan()
    if (!steps || steps.every(({ kind }) => kind === 'never')) continue
    throw new Error(
      `This command changes no tables, and the models of ${file} need other ones. Start the service with them first, or use the models that it has now; 'resourcery plan ${file}' prints what a start would do.`,
    )
  }
}
