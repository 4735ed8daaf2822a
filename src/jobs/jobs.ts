// The public names of `resourcery/jobs`.
import type { AccessCallback } from '../access/declare-access.ts'
import type { Router } from '../api/router.ts'
import { extensibleRouter } from '../api/router-extensions.ts'
import { callersInStore, registeredRouters } from '../api/stores-by-caller/store-routers.ts'
import { regularly } from '../background/regularly.ts'
import { runningOver } from '../background/running-work.ts'
import { lazy } from '../cache/lazy.ts'
import { addedBy } from '../model/added-models.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { isModelRule, type ModelRule } from '../rule/rule.ts'
import { createJob, createJobErrors, ownerOf } from './create-job.ts'
import { endRemovedJobs } from './ended-jobs.ts'
import { type JobModel, jobModel } from './job-model.ts'
import { type JobOptions, jobSettings } from './job-options.ts'
import { jobRows } from './job-rows.ts'
import { JobRunner } from './job-runner.ts'
import type { JobServices } from './job-services.ts'
import { bodyChunkModel } from './kept-bodies.ts'
import { sweepJobs } from './sweep-jobs.ts'
import { whenToLookAgain } from './when-to-look-again.ts'

export type { JobError, JobFields, JobModel, JobState } from './job-model.ts'
export type { JobAccess, JobOptions } from './job-options.ts'

/**
 * Carries out requests after their responses (`Prefer: respond-async`, RFC 7240): bodies with
 * several items, and actions with the option `async`. Adds the model `job`, which shows how they
 * stand. Needs authenticators whose callers have an `id`, and the package `zod`.
 *
 * ```ts
 * const users = { ada: process.env['ADA_PASSWORD'] ?? 'change me' }
 * const signIn = basic({ users, caller: (id) => ({ id }) })
 * const router = createRouter({
 *   policy: rest({ csv: true }),
 *   store: memory(),
 *   security: { authentication: [signIn], callerSchema: z.object({ id: z.string() }) },
 * })
 * router.prepare(model('book', { title: z.string() }))
 * jobs(router, { callerOf: (id) => ({ id }) })
 * ```
 *
 * @throws RegistrationError for an invalid option
 */
export function jobs<Caller>(router: Router<Caller>, options: JobOptions<Caller>): JobModel {
  const settings = jobSettings(options)
  const Job = addedBy('jobs()', jobModel())
  for (const each of registeredRouters(router)) {
    const callerOf = callersInStore(router, each, settings.callerOf)
    addJobs(each, Job, { ...settings, callerOf }, options.access)
  }
  return Job
}

/** @param declaredAccess of jobs; undefined where each caller has its own ones */
function addJobs<Caller>(
  router: Router<Caller>,
  Job: JobModel,
  settings: JobServices['settings'],
  declaredAccess: JobOptions<Caller>['access'],
): void {
  const { extensions, deferrals, urlPrefix, background } = extensibleRouter(router)
  const services = lazy((): JobServices => {
    const { basePath, respond } = router
    const ofRouter = { basePath, respond, urlPrefix, rule: ruleOf(router, Job) }
    return { ...background(), ...ofRouter, settings, Job }
  })
  const runner = lazy(() => new JobRunner(services()))
  let sweeping: ReturnType<typeof regularly> | undefined
  /** Not with the first use of `router.items`: a script would begin jobs, and end meanwhile. */
  const run = () => {
    runningOver(services().store).add(runner())
    runner().wake()
    sweeping ??= regularly(
      (isStopped) => sweepJobs(services(), Date.now(), isStopped),
      sweepMs,
      (error) => services().onError(error),
    )
  }
  const isNew = deferrals.provide({
    deferral: {
      serves: (context) => ownerOf(context) !== undefined,
      defer: (work) => createJob(services(), work, run),
    },
    errors: createJobErrors,
    storedModels: [jobRows.model, bodyChunkModel],
    observers: (models) => {
      const job = models.find((description) => description.model === Job)
      return job ? [endRemovedJobs(job)] : []
    },
    contents: () => services().rule.response.contents(),
  })
  if (!isNew) throw new RegistrationError('jobs() is called twice for one router. Call it once.')
  const access = declaredAccess ?? (ownJobs as unknown as NonNullable<typeof declaredAccess>)
  const rules: AccessCallback<InstanceType<JobModel>, Caller> = (symbols) => ({
    ...access(symbols),
    create: symbols.nobody,
    update: symbols.nobody,
  })
  router.prepare(Job).access(rules).use(whenToLookAgain(router, Job))
  extensions.push({
    started: run,
    close: async () => {
      // A router that never started may have registrations that are invalid.
      if (!sweeping) return
      // Jobs end at once, whatever a sweep waits for.
      await Promise.all([sweeping.stop(), runner().close()])
    },
  })
}

/** How often jobs that are too old are deleted. */
const sweepMs = 3_600_000

const ownJobs: NonNullable<JobOptions<{ readonly id: string }>['access']> = ({ item, caller }) => {
  const isOwn = item.owner.equal(caller.id)
  return { read: isOwn, delete: isOwn }
}

function ruleOf({ rules }: Pick<Router, 'rules'>, Job: JobModel): ModelRule {
  for (const rule of rules)
    if (
      isModelRule(rule) &&
      rule.view.model.model === Job &&
      rule.target.kind === 'item' &&
      rule.method === 'GET'
    )
      return rule
  throw new RegistrationError('jobs() needs a policy with which clients read an item.')
}
