import fc from 'fast-check'

/**
 * With a seed, property tests use the same values each time, because a gate has to give the same
 * result for the same commit. Without, each run uses other values.
 */
const { FUZZ_SEED } = process.env
if (FUZZ_SEED !== undefined)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(FUZZ_SEED) })
