// What the running program's file calls an address.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CKeyValueObserving.h"
#include <stdlib.h>

void kvo_free(char *text) { free(text); }

#if defined(__linux__) && defined(__LP64__)
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char *swift_demangle(
    const char *mangled, size_t length, char *buffer, size_t *size, uint32_t flags);

typedef struct place {
    uintptr_t address;
    bool is_found;
    bool is_code;
} place;

// The program itself comes first. Its address becomes that in the file.
static int find_place(struct dl_phdr_info *image, size_t size, void *data) {
    (void)size;
    place *place = data;
    uintptr_t address = place->address - image->dlpi_addr;
    for (int index = 0; index < image->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &image->dlpi_phdr[index];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_memsz) {
            place->is_found = true;
            place->is_code = (segment->p_flags & PF_X) != 0;
        }
    }
    place->address = address;
    return 1;
}

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t size = strlen(end);
    return length > size && memcmp(text + length - size, end, size) == 0;
}

// A getter, or its method descriptor.
static bool is_getter(const char *name, size_t length) {
    return memcmp(name, "$s", 2) == 0 && (ends_with(name, length, "vg") || ends_with(name, length, "vgTq"));
}

static char *find_symbol(const char *file, size_t size, uintptr_t address) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > size ||
        (size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum) {
        return 0;
    }
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    const char *found = 0;
    for (size_t index = 0; index < header->e_shnum; index++) {
        const Elf64_Shdr *table = &sections[index];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum) continue;
        const Elf64_Shdr *texts = &sections[table->sh_link];
        if (table->sh_offset > size || table->sh_size > size - table->sh_offset || texts->sh_offset > size ||
            texts->sh_size > size - texts->sh_offset) {
            continue;
        }
        const Elf64_Sym *symbols = (const Elf64_Sym *)(file + table->sh_offset);
        for (size_t number = 0; number < table->sh_size / sizeof(Elf64_Sym); number++) {
            if (symbols[number].st_value != address || symbols[number].st_name >= texts->sh_size) continue;
            const char *name = file + texts->sh_offset + symbols[number].st_name;
            size_t rest = texts->sh_size - symbols[number].st_name;
            size_t length = strnlen(name, rest);
            if (length == rest || length < 4 || !is_getter(name, length)) continue;
            // Two getters at one address may have been merged.
            if (found != 0 && strcmp(found, name) != 0) return 0;
            found = name;
        }
    }
    return found == 0 ? 0 : swift_demangle(found, strlen(found), 0, 0, 0);
}

// A method descriptor holds its kind and how far off the getter is: see TargetMethodDescriptor in Metadata.h. That of a
// private property has no symbol in an optimized build, but its getter has one.
static int32_t distance_to_getter(uintptr_t descriptor) {
    enum { kind_mask = 0x1F, instance_getter = 0x12 };
    uint32_t flags = *(const uint32_t *)descriptor;
    return (flags & kind_mask) == instance_getter ? *(const int32_t *)(descriptor + 4) : 0;
}

char *kvo_getter_symbol(uintptr_t address) {
    place place = {.address = address};
    dl_iterate_phdr(find_place, &place);
    if (!place.is_found) return 0;
    int32_t distance = place.is_code || address % 4 != 0 ? 0 : distance_to_getter(address);
    // It is the program that runs, even if another one has its name meanwhile.
    int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    char *symbol = 0;
    struct stat status;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *file = mmap(0, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (file != MAP_FAILED) {
            symbol = find_symbol(file, size, place.address);
            if (symbol == 0 && distance != 0) {
                symbol = find_symbol(file, size, place.address + 4 + (uintptr_t)(intptr_t)distance);
            }
            munmap(file, size);
        }
    }
    close(descriptor);
    return symbol;
}
#else
char *kvo_getter_symbol(uintptr_t address) {
    (void)address;
    return 0;
}
#endif
