// A compiler for tests: the "machine code" is the source with a mark in front. A source with `error` in it is refused.

#include <stdlib.h>
#include <string.h>

// FAKE_NO_LOADING ends a process that loads the compiler.
__attribute__((constructor)) static void loaded(void) { if (getenv("FAKE_NO_LOADING")) abort(); }

typedef struct { char *source; } Program;

// FAKE_VERSION is the version of CUDA, as for the driver.
int nvrtcVersion(int *major, int *minor) {
    const char *text = getenv("FAKE_VERSION");
    *major = text ? atoi(text) / 1000 : 13; *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int *count) { *count = 3; return 0; }
int nvrtcGetSupportedArchs(int *known) { known[0] = 75; known[1] = 80; known[2] = 90; return 0; }
const char *nvrtcGetErrorString(int result) { return result == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_FAKE"; }
int nvrtcCreateProgram(Program **program, const char *source, const char *name, int count, const char *const *headers, const char *const *names) {
    (void)name; (void)count; (void)headers; (void)names;
    *program = malloc(sizeof **program);
    (*program)->source = strdup(source);
    return 0;
}
int nvrtcDestroyProgram(Program **program) { free((*program)->source); free(*program); *program = NULL; return 0; }
int nvrtcCompileProgram(Program *program, int count, const char *const *options) {
    if (count < 1 || strcmp(options[0], "--gpu-architecture=sm_90")) return 5;
    return strstr(program->source, "error") ? 6 : 0;
}
int nvrtcGetCUBINSize(Program *program, size_t *size) { *size = strlen(program->source) + 7; return 0; }
int nvrtcGetCUBIN(Program *program, char *cubin) { strcpy(cubin, "cubin:"); strcat(cubin, program->source); return 0; }
static const char *log_text = "refused by the fake compiler";
int nvrtcGetProgramLogSize(Program *program, size_t *size) { (void)program; *size = strlen(log_text) + 1; return 0; }
int nvrtcGetProgramLog(Program *program, char *log) { (void)program; strcpy(log, log_text); return 0; }
