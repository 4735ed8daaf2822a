import { z } from 'zod'
import { dateTime } from '../model/declare/date-time.ts'
import { field, type ValueDefinition } from '../model/declare/field.ts'
import { type ModelClass, model } from '../model/declare/model.ts'
import type { Schema } from '../schema/standard-schema.ts'

/** How a job stands. */
export type JobState = 'waiting' | 'running' | 'done' | 'failed'
const jobStates: readonly JobState[] = ['waiting', 'running', 'done', 'failed']

/** Why a line, or the whole request, could not be carried out. */
export interface JobError {
  /** The number of the line; absent where it is the whole request. */
  readonly line?: number | undefined
  /** As of the response to a request with this line alone. */
  readonly status: number
  /** The problems, as the policy writes them. */
  readonly errors: readonly unknown[]
}

/** The fields of a job. */
export type JobFields = {
  readonly state: ValueDefinition<Schema<JobState>, { readonly readOnly: true }>
  readonly request: ValueDefinition<Schema<string>, { readonly readOnly: true }>
  readonly linesDone: ValueDefinition<Schema<number | null>, { readonly readOnly: true }>
  readonly result: ValueDefinition<Schema<unknown>, { readonly readOnly: true }>
  readonly errors: ValueDefinition<Schema<JobError[]>, { readonly readOnly: true }>
  readonly owner: ValueDefinition<Schema<string>, { readonly readOnly: true }>
  readonly createdAt: ValueDefinition<Schema<string>, { readonly readOnly: true }>
  readonly startedAt: ValueDefinition<Schema<string | null>, { readonly readOnly: true }>
  readonly endedAt: ValueDefinition<Schema<string | null>, { readonly readOnly: true }>
}

/** The model of jobs. */
export type JobModel = ModelClass<'job', JobFields>

/** Differs from router to router only by its identity. */
export function jobModel(): JobModel {
  const readOnly = { readOnly: true } as const
  return model(
    'job',
    {
      state: field(z.enum(jobStates), {
        ...readOnly,
        index: true,
        description: 'The state of the job',
      }),
      request: field(z.string(), {
        ...readOnly,
        description: 'What it carries out: the method and the path',
        example: 'POST /books',
      }),
      linesDone: field(z.int().nullable(), {
        ...readOnly,
        description: 'How many lines of the body are carried out, or have failed',
      }),
      result: field(jobResultSchema, {
        ...readOnly,
        description:
          'Of lines, how many items were created and updated, and how many failed; of an action, the body of its response. Null until it is done, and where it failed before a line was written',
      }),
      errors: field(z.array(jobErrorSchema) as unknown as Schema<JobError[]>, {
        ...readOnly,
        description:
          'What could not be carried out: the first lines that failed, or why the whole request did',
      }),
      owner: field(z.string(), {
        ...readOnly,
        index: true,
        description: 'The id of the caller who has sent the request',
      }),
      createdAt: field(dateTime(), { ...readOnly, description: 'When the request was sent' }),
      startedAt: field(dateTime({ nullable: true }), {
        ...readOnly,
        description: 'When it first began',
      }),
      endedAt: field(dateTime({ nullable: true }), {
        ...readOnly,
        index: true,
        description: 'When it was done or failed',
      }),
    },
    { description: 'Requests that are carried out after their responses', changes: false },
  ) as unknown as JobModel
}

const jobResultSchema = z
  .union([
    z.record(z.string(), z.unknown()),
    z.array(z.unknown()),
    z.string(),
    z.number(),
    z.boolean(),
  ])
  .nullable()

const jobErrorSchema = z.object({
  line: z.int().optional(),
  status: z.int(),
  errors: z.array(z.unknown()),
})
